/** A host whose calls can be held up one by one, so that others come in between: what a simulated disk alone never shows. */

import { posix } from "node:path";
import type { FileSystem, Host, OpenFile } from "../../src/host/host.ts";

export type Hold = (
  call: { operation: string; path: string },
  perform: () => Promise<unknown>,
) => Promise<unknown>;

export function heldHost(host: Host, hold: Hold): Host {
  const through = async <T>(operation: string, path: string, perform: () => Promise<T>): Promise<T> =>
    (await hold({ operation, path: posix.normalize(path) }, perform)) as T;
  const { files } = host;
  const wrapFile = (file: OpenFile, path: string): OpenFile => ({
    read: async (into, position) => await through("read", path, async () => await file.read(into, position)),
    write: async (bytes, position) =>
      await through("write", path, async () => await file.write(bytes, position)),
    truncate: async (length) => await through("truncate", path, async () => await file.truncate(length)),
    sync: async () => await through("sync", path, async () => await file.sync()),
    stat: async () => await file.stat(),
    makePrivate: async () => await file.makePrivate(),
    close: async () => await file.close(),
  });
  const wrapped: FileSystem = {
    open: async (path, mode) =>
      wrapFile(await through("open", path, async () => await files.open(path, mode)), path),
    makeDirectory: async (path) => await files.makeDirectory(path),
    readDirectory: async (path) => await files.readDirectory(path),
    syncDirectory: async (path) =>
      await through("syncDirectory", path, async () => await files.syncDirectory(path)),
    rename: async (from, to) => await through("rename", to, async () => await files.rename(from, to)),
    link: async (from, to) => await through("link", to, async () => await files.link(from, to)),
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
    files: wrapped,
    processes: host.processes,
    now: () => host.now(),
    user: host.user,
    randomBytes: (length) => host.randomBytes(length),
    wait: async (milliseconds, background) => await host.wait(milliseconds, background),
  };
}

/** A door that somebody knocks at and that opens when told. */
export class Gate {
  readonly reached: Promise<void>;
  readonly #opened: Promise<void>;
  #knock: () => void = () => undefined;
  #open: () => void = () => undefined;

  constructor() {
    this.reached = new Promise((resolve) => (this.#knock = resolve));
    this.#opened = new Promise((resolve) => (this.#open = resolve));
  }

  async wait(): Promise<void> {
    this.#knock();
    await this.#opened;
  }

  open(): void {
    this.#open();
  }
}
