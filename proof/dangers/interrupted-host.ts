/** A host that tells before each of its calls, and waits as long as it is made to. */

import { posix } from "node:path";
import type { FileSystem, Host, OpenFile } from "@longhand/store/testing";

export interface HostCall {
  readonly operation: string;
  readonly path: string;
}

export function interruptedHost(host: Host, before: (call: HostCall) => Promise<void>): Host {
  const { files, processes } = host;
  const on = async <T>(operation: string, path: string, perform: () => Promise<T>): Promise<T> => {
    await before({ operation, path: posix.normalize(path) });
    return await perform();
  };
  const wrapped: FileSystem = {
    open: async (path, mode) =>
      interruptedFile(
        await on(`open to ${mode}`, path, async () => await files.open(path, mode)),
        path,
        before,
      ),
    makeDirectory: async (path) =>
      await on("makeDirectory", path, async () => await files.makeDirectory(path)),
    readDirectory: async (path) =>
      await on("readDirectory", path, async () => await files.readDirectory(path)),
    syncDirectory: async (path) =>
      await on("syncDirectory", path, async () => await files.syncDirectory(path)),
    rename: async (from, to) => await on("rename", from, async () => await files.rename(from, to)),
    link: async (from, to) => await on("link", to, async () => await files.link(from, to)),
    unlink: async (path) => await on("unlink", path, async () => await files.unlink(path)),
    typeAt: async (path) => await files.typeAt(path),
    removeDirectory: async (path) =>
      await on("removeDirectory", path, async () => await files.removeDirectory(path)),
    stat: async (path) => await on("stat", path, async () => await files.stat(path)),
    resolve: async (path) => await on("resolve", path, async () => await files.resolve(path)),
    checkWritable: async (path) => {
      await on("checkWritable", path, async () => {
        await files.checkWritable(path);
      });
    },
  };
  return {
    files: wrapped,
    processes,
    user: host.user,
    now: () => host.now(),
    randomBytes: (length) => host.randomBytes(length),
    wait: async (milliseconds, background) => {
      if (background === undefined) await before({ operation: "wait", path: "" });
      await host.wait(milliseconds, background);
    },
  };
}

function interruptedFile(file: OpenFile, path: string, before: (call: HostCall) => Promise<void>): OpenFile {
  const on = async <T>(operation: string, perform: () => Promise<T>): Promise<T> => {
    await before({ operation, path });
    return await perform();
  };
  return {
    read: async (into, position) => await on("read", async () => await file.read(into, position)),
    write: async (bytes, position) => await on("write", async () => await file.write(bytes, position)),
    truncate: async (length) => await on("truncate", async () => await file.truncate(length)),
    sync: async () => await on("sync", async () => await file.sync()),
    stat: async () => await on("stat", async () => await file.stat()),
    makePrivate: async () => await on("makePrivate", async () => await file.makePrivate()),
    close: async () => await on("close", async () => await file.close()),
  };
}
