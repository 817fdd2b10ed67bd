/** The real host, counting what is asked of its disk. */

import type { FileSystem, Host, OpenFile } from "../../src/host/host.ts";
import { nodeHost } from "../../src/host/node-host.ts";

export interface DiskCounts {
  writes: number;
  bytesWritten: number;
  reads: number;
  bytesRead: number;
  /** Of files and of directories. */
  syncs: number;
}

export function countingHost(): { readonly host: Host; readonly counts: DiskCounts } {
  const counts: DiskCounts = { writes: 0, bytesWritten: 0, reads: 0, bytesRead: 0, syncs: 0 };
  const real = nodeHost.files;
  const files: FileSystem = {
    open: async (path, mode) => countedFile(await real.open(path, mode), counts),
    makeDirectory: async (path) => await real.makeDirectory(path),
    readDirectory: async (path) => await real.readDirectory(path),
    syncDirectory: async (path) => {
      counts.syncs++;
      await real.syncDirectory(path);
    },
    rename: async (from, to) => await real.rename(from, to),
    link: async (from, to) => await real.link(from, to),
    unlink: async (path) => await real.unlink(path),
    removeDirectory: async (path) => await real.removeDirectory(path),
    typeAt: async (path) => await real.typeAt(path),
    stat: async (path) => await real.stat(path),
    resolve: async (path) => await real.resolve(path),
    checkWritable: async (path) => {
      await real.checkWritable(path);
    },
  };
  return { host: { ...nodeHost, files }, counts };
}

function countedFile(file: OpenFile, counts: DiskCounts): OpenFile {
  return {
    read: async (into, position) => {
      const bytes = await file.read(into, position);
      counts.reads++;
      counts.bytesRead += bytes;
      return bytes;
    },
    write: async (bytes, position) => {
      counts.writes++;
      counts.bytesWritten += bytes.length;
      return await file.write(bytes, position);
    },
    truncate: async (length) => await file.truncate(length),
    sync: async () => {
      counts.syncs++;
      await file.sync();
    },
    stat: async () => await file.stat(),
    makePrivate: async () => await file.makePrivate(),
    close: async () => await file.close(),
  };
}
