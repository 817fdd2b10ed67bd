/** Hosts for the controls of the searches: each leaves out the one thing that its search is about. */

import { posix } from "node:path";
import { altered, alteredHost, hostWithAlteredFiles } from "../altered-host.ts";
import type { FileSystem, Host } from "@longhand/store/testing";
import { DIRECTORY } from "./told-writes.ts";

/** Does not see that it was taken over. */
export function withoutFence(host: Host): Host {
  const known = new Map<string, Awaited<ReturnType<FileSystem["stat"]>>>();
  return alteredHost(host, (files) => ({
    stat: async (path) => {
      if (path.endsWith(".fence")) return undefined;
      if (!path.endsWith(".journal") && !path.endsWith(".gate")) return await files.stat(path);
      if (!known.has(path)) known.set(path, await files.stat(path));
      return known.get(path);
    },
  }));
}

/** Changes names by their plain paths, so that whoever takes over cannot keep it from that. */
export function withoutGate(host: Host): Host {
  return alteredHost(host, (files) => ({
    rename: async (from, to) => await files.rename(from, posix.normalize(to)),
    link: async (from, to) => await files.link(from, posix.normalize(to)),
    unlink: async (path) => await files.unlink(posix.normalize(path)),
  }));
}

/** What is set aside there is gone. */
export function withoutDamagedCopies(host: Host): Host {
  return hostWithAlteredFiles(host, (_, path) =>
    path.startsWith(`${DIRECTORY}/.longhand/damaged/`)
      ? { write: async (bytes) => await Promise.resolve(bytes.length) }
      : undefined,
  );
}

/** Of each write it says that all of it got in. */
export function believingShortWrites(host: Host): Host {
  return hostWithAlteredFiles(host, (file) => ({
    write: async (bytes, position) => {
      await file.write(bytes, position);
      return bytes.length;
    },
  }));
}

/** Whoever comes later has a clock that is so much further behind. */
export function withClockBehind(host: Host, milliseconds: number): Host {
  return altered(host, { now: () => host.now() - milliseconds });
}

/** Nothing ever gets another name. */
export function withoutRenames(host: Host): Host {
  return alteredHost(host, () => ({ rename: async () => await Promise.resolve() }));
}

/** Finds none of the files that were sealed after it has begun. */
export function withoutNewSegments(host: Host): Host {
  const segments = `${DIRECTORY}/segments`;
  let known: Promise<ReadonlySet<string>> | undefined;
  return alteredHost(host, (files) => ({
    open: async (path, mode) => {
      known ??= filesBelow(files, segments);
      const isHidden = path.startsWith(`${segments}/`) && !(await known).has(path);
      return await files.open(isHidden ? `${path}.hidden` : path, mode);
    },
  }));
}

/** In the directories of this one. */
async function filesBelow(files: FileSystem, directory: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const name of await files.readDirectory(directory)) {
    const inner = `${directory}/${name}`;
    for (const each of await files.readDirectory(inner)) found.add(`${inner}/${each}`);
  }
  return found;
}
