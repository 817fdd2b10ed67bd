/** Hosts that break the protocol under the store's feet: for controls that must lose data. */

import type { FileSystem, Host, OpenFile } from "../../src/host/host.ts";

export type SyncedThing = "journal" | "journal directory" | "session file" | "session directory";

/** Says that it has synced one kind of thing, and has not. */
export function withoutSync(host: Host, thing: SyncedThing): Host {
  return wrapped(host, {
    file: (_file, path) => (kindOf(path, false) === thing ? { sync: () => Promise.resolve() } : {}),
    syncDirectory: async (path) => {
      if (kindOf(path, true) !== thing) await host.files.syncDirectory(path);
    },
  });
}

/** Says that it has written NULs, and has left what was there. */
export function withoutNuls(host: Host): Host {
  return wrapped(host, {
    file: (file) => ({
      write: async (bytes, position) =>
        bytes.every((byte) => byte === 0) ? bytes.length : await file.write(bytes, position),
    }),
    syncDirectory: async (path) => await host.files.syncDirectory(path),
  });
}

interface Wrapping {
  readonly file: (file: OpenFile, path: string) => Partial<OpenFile>;
  readonly syncDirectory: (path: string) => Promise<void>;
}

function wrapped(host: Host, { file: wrapFile, syncDirectory }: Wrapping): Host {
  const { files } = host;
  const wrappedFiles: FileSystem = {
    open: async (path, mode) => {
      const file = await files.open(path, mode);
      return {
        read: async (into, position) => await file.read(into, position),
        write: async (bytes, position) => await file.write(bytes, position),
        truncate: async (length) => await file.truncate(length),
        sync: async () => await file.sync(),
        stat: async () => await file.stat(),
        makePrivate: async () => await file.makePrivate(),
        close: async () => await file.close(),
        ...wrapFile(file, path),
      };
    },
    makeDirectory: async (path) => await files.makeDirectory(path),
    readDirectory: async (path) => await files.readDirectory(path),
    syncDirectory,
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
    files: wrappedFiles,
    processes: host.processes,
    now: () => host.now(),
    user: host.user,
    randomBytes: (length) => host.randomBytes(length),
    wait: async (milliseconds, background) => await host.wait(milliseconds, background),
  };
}

function kindOf(path: string, isDirectory: boolean): SyncedThing | undefined {
  // A session's file is created there.
  const isOwn = path.includes(".longhand") && !path.includes(".longhand/new");
  if (isDirectory)
    return path.endsWith("/journal") ? "journal directory" : isOwn ? undefined : "session directory";
  return path.endsWith(".journal") ? "journal" : isOwn ? undefined : "session file";
}
