/**
 * Tells of files that look like sessions of another program, after the opening: the caller's first call comes first. Where no
 * name in the directory has changed since the last scan it is not listed.
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

/** Resolves at the end of the look. A directory that cannot be listed fails neither opening nor closing. */
export async function reportForeign(deps: ForeignReportDeps): Promise<void> {
  const { host, layout, readOnly, onError, onForeign } = deps;
  if (onForeign === undefined) return;
  const tell = (similar: readonly string[]): void => {
    if (similar.length > 0) onForeign(similar);
  };
  try {
    await host.wait(0);
    const known = await foreignSinceLastScan(host, layout);
    if (known !== undefined) {
      tell(known);
      return;
    }
    const { similar, names } = await scanForForeign(host.files, layout, !readOnly);
    tell(similar);
    await deps.onNames(names);
  } catch (error) {
    onError(ioError(error, "looking for files of other programs", layout.directory));
  }
}
