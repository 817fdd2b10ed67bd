import { resolve } from "node:path";
import { ioError } from "../../host/io-error.ts";
import type { Host } from "../../host/host.ts";
import { checkSafeDirectory } from "../../host/check-safe-directory.ts";
import { makeDirectories } from "../../host/make-directories.ts";
import type { BackendOptions } from "../../contract/backend.ts";
import type { JsonSession } from "./json-session.ts";
import { SessionFiles, type SessionFilesOptions } from "./session-files.ts";
import { removeTemporaryFiles } from "./temporary-file.ts";

export interface LoadedSessions {
  /** `undefined`: in memory only. */
  readonly files: SessionFiles | undefined;
  readonly sessions: Map<string, JsonSession>;
}

export interface OpenFilesOptions extends SessionFilesOptions, Pick<BackendOptions, "readOnly" | "onError"> {}

/** Makes the directory if need be, clears what a crash left, and reads every session in it. */
export async function openSessionFiles(
  directory: string,
  host: Host,
  { readOnly, onDamage, onError, ownFilesOnly }: OpenFilesOptions,
): Promise<LoadedSessions> {
  const path = resolve(directory);
  try {
    if (readOnly && (await host.files.stat(path)) === undefined)
      return { files: undefined, sessions: new Map() };
    if (!readOnly) await makeDirectories(host.files, path);
    const realPath = await host.files.resolve(path);
    await checkSafeDirectory(host.files, realPath, host.user);
    const files = new SessionFiles(realPath, host, { onDamage, ownFilesOnly });
    if (!readOnly) await removeTemporaryFiles(host, realPath, onError);
    return { files, sessions: await files.load() };
  } catch (error) {
    throw ioError(error, "opening the directory of sessions", path);
  }
}
