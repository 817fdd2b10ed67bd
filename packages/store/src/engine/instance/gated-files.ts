/**
 * Changes of names that fail once the instance was taken over. To look for the fence first is not enough: between the look
 * and the change the process may be stopped for so long that another has taken it over, and uses the same names.
 *
 * So the path of each change leads through a directory of the instance's own, its gate, and out again:
 * `.longhand/journal/INSTANCE.gate/../../../a.jsonl`. Whoever takes over removes the gate after it has placed the fence and
 * before it looks at anything else. From then on the kernel finds no such path (ENOENT): the check and the change are one
 * system call. A change that came before that is one that the adopter finds done.
 *
 * Creating a file is not a change that could hide or remove anything, and goes by its own path.
 */

import { LonghandError } from "../../errors.ts";
import type { FileSystem, Host } from "../../host/host.ts";
import { errorCode } from "../../host/io-error.ts";
import { withFiles } from "../../host/with-files.ts";
import type { Id } from "../../format/session-id.ts";
import { gatePath, type Layout } from "../../format/layout.ts";

/** From the gate back to the store's directory. */
const OUT = "/../../..";

export function gatedHost(host: Host, layout: Layout, instance: Id): Host {
  return withFiles(host, gatedFiles(host.files, layout, instance));
}

function gatedFiles(files: FileSystem, layout: Layout, instance: Id): FileSystem {
  const gate = gatePath(layout, instance);
  const { directory } = layout;
  const change = async (path: string, perform: (path: string) => Promise<void>): Promise<void> => {
    const through = path.startsWith(`${directory}/`) ? gate + OUT + path.slice(directory.length) : path;
    try {
      await perform(through);
    } catch (error) {
      if (errorCode(error) === "ENOENT" && (await files.stat(gate)) === undefined)
        throw shut(directory, error);
      throw error;
    }
  };
  return {
    open: (path, mode) => files.open(path, mode),
    makeDirectory: (path) => files.makeDirectory(path),
    readDirectory: (path) => files.readDirectory(path),
    syncDirectory: (path) => files.syncDirectory(path),
    rename: async (from, to) => await change(to, async (through) => await files.rename(from, through)),
    link: async (from, to) => await change(to, async (through) => await files.link(from, through)),
    unlink: async (path) => await change(path, async (through) => await files.unlink(through)),
    removeDirectory: (path) => files.removeDirectory(path),
    stat: (path) => files.stat(path),
    resolve: (path) => files.resolve(path),
    checkWritable: (path) => files.checkWritable(path),
    typeAt: (path) => files.typeAt(path),
  };
}

function shut(directory: string, cause: unknown): LonghandError {
  const message = `${directory}: it was taken over by another process, which held this one for dead; reopen the store`;
  return new LonghandError("STORE_FAILED", message, { directory }, cause);
}
