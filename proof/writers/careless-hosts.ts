/** Hosts for the controls: each leaves out one thing that durability rests on. */

import { failForEver, failingHost, nodeHost, type FileSystem, type Host } from "@longhand/store/testing";

/** Says yes to every sync, of files and of directories, and does nothing. */
export function hostWithoutSync(): Host {
  return failingHost(nodeHost, failForEver(1, { kind: "ignored" }));
}

/** Says of each write that all of it got in, although the count says otherwise: so does who does not look at it. */
export function hostThatBelievesShortWrites(): Host {
  const real = nodeHost.files;
  const open: FileSystem["open"] = async (path, mode) => {
    const file = await real.open(path, mode);
    return {
      read: async (into, position) => await file.read(into, position),
      write: async (bytes, position) => {
        await file.write(bytes, position);
        return bytes.length;
      },
      truncate: async (length) => await file.truncate(length),
      sync: async () => await file.sync(),
      stat: async () => await file.stat(),
      makePrivate: async () => await file.makePrivate(),
      close: async () => await file.close(),
    };
  };
  return { ...nodeHost, files: { ...real, open } };
}
