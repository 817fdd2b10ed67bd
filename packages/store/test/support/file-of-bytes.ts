import type { OpenFile } from "../../src/host/host.ts";

const refused = (): Promise<never> => Promise.reject(new Error("only for reading"));

/** A file that is read from memory; `reads` counts the bytes that were asked for. */
export function fileOfBytes(bytes: Buffer): OpenFile & { readonly reads: number[] } {
  const reads: number[] = [];
  return {
    reads,
    read: (into, position) => {
      reads.push(into.length);
      return Promise.resolve(bytes.subarray(position, position + into.length).copy(into));
    },
    stat: () =>
      Promise.resolve({
        kind: "file",
        size: bytes.length,
        modified: 0,
        changed: 0,
        mode: 0o600,
        owner: 0,
        device: 0,
        inode: 0,
        links: 1,
      }),
    write: refused,
    truncate: refused,
    sync: refused,
    makePrivate: refused,
    close: () => Promise.resolve(),
  };
}
