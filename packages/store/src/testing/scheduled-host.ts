/** A host whose every call is parked until it is let go; what it does then, another host does. */

import type { FileSystem, Host, OpenFile, Processes } from "../host/host.ts";
import { promised } from "../host/promised.ts";

export interface ParkedCall {
  readonly operation: string;
  readonly path: string;
  readonly go: () => void;
  /** Does only so much of it, at most `tearable`: for a process that is killed in the middle. */
  readonly tear: ((part: number) => void) | undefined;
  readonly tearable: number;
}

export interface Call<T> {
  readonly operation: string;
  readonly path: string;
  readonly perform: () => Promise<T>;
  readonly tear?: (part: number) => void;
  readonly tearable?: number;
}

/** Resolves as `perform` does, when the call was let go. */
type Park = <T>(call: Call<T>) => Promise<T>;

export function scheduledHost(
  host: Host,
  { park, wait }: { readonly park: Park; readonly wait: Host["wait"] },
): Host {
  return {
    files: scheduledFiles(host.files, park),
    processes: scheduledProcesses(host.processes, park),
    user: host.user,
    now: () => host.now(),
    randomBytes: (length) => host.randomBytes(length),
    wait,
  };
}

function scheduledFiles(files: FileSystem, park: Park): FileSystem {
  const on = async <T>(operation: string, path: string, perform: () => Promise<T>): Promise<T> =>
    await park({ operation, path, perform });
  return {
    open: async (path, mode) =>
      scheduledFile(await on(`open to ${mode}`, path, async () => await files.open(path, mode)), path, park),
    makeDirectory: async (path) =>
      await on("makeDirectory", path, async () => await files.makeDirectory(path)),
    readDirectory: async (path) =>
      await on("readDirectory", path, async () => await files.readDirectory(path)),
    syncDirectory: async (path) =>
      await on("syncDirectory", path, async () => await files.syncDirectory(path)),
    rename: async (from, to) =>
      await on("rename", `${from} to ${to}`, async () => await files.rename(from, to)),
    link: async (from, to) => await on("link", `${from} to ${to}`, async () => await files.link(from, to)),
    unlink: async (path) => await on("unlink", path, async () => await files.unlink(path)),
    removeDirectory: async (path) =>
      await on("removeDirectory", path, async () => await files.removeDirectory(path)),
    stat: async (path) => await on("stat", path, async () => await files.stat(path)),
    resolve: async (path) => await on("resolve", path, async () => await files.resolve(path)),
    checkWritable: async (path) => {
      await files.checkWritable(path);
    },
    typeAt: async (path) => await files.typeAt(path),
  };
}

function scheduledFile(file: OpenFile, path: string, park: Park): OpenFile {
  const on = async <T>(operation: string, perform: () => Promise<T>): Promise<T> =>
    await park({ operation, path, perform });
  return {
    read: async (into, position) => await on("read", async () => await file.read(into, position)),
    write: async (bytes, position) =>
      await park({
        operation: "write",
        path,
        perform: async () => await file.write(bytes, position),
        // Whoever is killed does not learn that his last write has failed besides.
        tear: (part) =>
          void promised(() => file.write(bytes.subarray(0, part), position)).catch(() => undefined),
        tearable: bytes.length,
      }),
    truncate: async (length) => await on("truncate", async () => await file.truncate(length)),
    sync: async () => await on("sync", async () => await file.sync()),
    stat: async () => await on("stat", async () => await file.stat()),
    makePrivate: async () => await on("makePrivate", async () => await file.makePrivate()),
    close: async () => await on("close", async () => await file.close()),
  };
}

function scheduledProcesses(processes: Processes, park: Park): Processes {
  return {
    self: processes.self,
    listen: async (path, onMessage) => {
      // A process that is stopped has the message, but does not read it yet.
      const receive = (text: string): void => {
        void park({
          operation: "is told",
          path: text,
          perform: () => {
            onMessage?.(text);
            return Promise.resolve();
          },
        });
      };
      const perform = async () => await processes.listen(path, receive);
      const presence = await park({ operation: "listen", path, perform });
      if (presence === undefined) return undefined;
      const close = async () => await presence.close();
      return { close: async () => await park({ operation: "stop listening", path, perform: close }) };
    },
    probe: async (path) =>
      await park({ operation: "probe", path, perform: async () => await processes.probe(path) }),
    tell: async (path, text) =>
      await park({ operation: "tell", path, perform: async () => await processes.tell(path, text) }),
    find: async (pid) =>
      await park({
        operation: "find process",
        path: String(pid),
        perform: async () => await processes.find(pid),
      }),
  };
}
