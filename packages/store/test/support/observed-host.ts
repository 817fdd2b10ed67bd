import type { FileSystem, Host, OpenFile } from "../../src/host/host.ts";

export interface ObservedCall {
  readonly operation:
    "open" | "create" | "close" | "makeDirectory" | "read" | "write" | "sync" | "syncDirectory";
  readonly path: string;
  /** Read or written. */
  readonly bytes: number;
}

/** A host whose calls are told to a test, each after it was done and before the store learns of it. */
export function observedHost(host: Host, observe: (call: ObservedCall) => void | Promise<void>): Host {
  const { files } = host;
  const observed: FileSystem = {
    async open(path, mode) {
      const file = await files.open(path, mode);
      await observe({ operation: mode === "create" ? "create" : "open", path, bytes: 0 });
      return observedFile(file, path, observe);
    },
    async makeDirectory(path) {
      await files.makeDirectory(path);
      await observe({ operation: "makeDirectory", path, bytes: 0 });
    },
    async syncDirectory(path) {
      await files.syncDirectory(path);
      await observe({ operation: "syncDirectory", path, bytes: 0 });
    },
    readDirectory: async (path) => await files.readDirectory(path),
    rename: async (from, to) => await files.rename(from, to),
    link: async (from, to) => await files.link(from, to),
    unlink: async (path) => await files.unlink(path),
    removeDirectory: async (path) => await files.removeDirectory(path),
    typeAt: async (path) => await files.typeAt(path),
    stat: async (path) => await files.stat(path),
    resolve: async (path) => await files.resolve(path),
    checkWritable: async (path) => {
      await files.checkWritable(path);
    },
  };
  return {
    files: observed,
    processes: host.processes,
    now: () => host.now(),
    user: host.user,
    randomBytes: (length) => host.randomBytes(length),
    wait: async (milliseconds, background) => await host.wait(milliseconds, background),
  };
}

function observedFile(
  file: OpenFile,
  path: string,
  observe: (call: ObservedCall) => void | Promise<void>,
): OpenFile {
  return {
    async read(into, position) {
      const bytes = await file.read(into, position);
      await observe({ operation: "read", path, bytes });
      return bytes;
    },
    async write(from, position) {
      const bytes = await file.write(from, position);
      await observe({ operation: "write", path, bytes });
      return bytes;
    },
    async sync() {
      await file.sync();
      await observe({ operation: "sync", path, bytes: 0 });
    },
    truncate: async (length) => await file.truncate(length),
    stat: async () => await file.stat(),
    makePrivate: async () => await file.makePrivate(),
    async close() {
      await file.close();
      await observe({ operation: "close", path, bytes: 0 });
    },
  };
}
