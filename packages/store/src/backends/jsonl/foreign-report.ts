/**
 * Tells of files that look like sessions of another program. Where no name in the directory has changed since the last scan it
 * does so at once. Otherwise the directory is listed after the opening, so that the time until the first call does not grow with
 * the number of sessions.
 */

import type { BackendOptions } from "../../contract/backend.ts";
import { foreignSinceLastScan, scanForForeign } from "../../engine/files/scan-for-foreign.ts";
import type { Layout } from "../../format/layout.ts";
import type { Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";

export interface ForeignReportDeps extends Pick<BackendOptions, "readOnly" | "onError" | "onForeign"> {
  readonly host: Host;
  readonly layout: Layout;
  /** Told of every name in the directory, if it had to be listed. */
  onNames(names: readonly string[]): Promise<void>;
}

/** Answers with what waits for the end of the scan. A directory that cannot be listed fails neither opening nor closing. */
export async function reportForeign(deps: ForeignReportDeps): Promise<() => Promise<void>> {
  const { host, layout, readOnly, onError, onForeign } = deps;
  if (onForeign === undefined) return async () => await Promise.resolve();
  const tell = (similar: readonly string[]): void => {
    if (similar.length > 0) onForeign(similar);
  };
  const report = (error: unknown): void =>
    onError(ioError(error, "looking for files of other programs", layout.directory));
  const known = await foreignSinceLastScan(host, layout).catch((error: unknown) => {
    report(error);
    return [];
  });
  if (known !== undefined) tell(known);
  const scanning = known === undefined ? scan().catch(report) : Promise.resolve();
  return async () => await scanning;

  async function scan(): Promise<void> {
    // The caller's first call comes first.
    await host.wait(0);
    const { similar, names } = await scanForForeign(host.files, layout, !readOnly);
    tell(similar);
    await deps.onNames(names);
  }
}
