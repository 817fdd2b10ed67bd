/** For the control: a host that syncs once more after a failure, and believes the second answer. */

import type { FileSystem, Host, OpenFile } from "@longhand/store/testing";

export function withRetriedSync(host: Host): Host {
  const { files } = host;
  const retry = async (sync: () => Promise<void>): Promise<void> => await sync().catch(sync);
  const retried: Pick<FileSystem, "open" | "syncDirectory"> = {
    open: async (path, mode) => {
      const file = await files.open(path, mode);
      return delegating<OpenFile>(file, { sync: async () => await retry(async () => await file.sync()) });
    },
    syncDirectory: async (path) => await retry(async () => await files.syncDirectory(path)),
  };
  return { ...host, randomBytes: (length) => host.randomBytes(length), files: delegating(files, retried) };
}

/** What is given, and for the rest the original, which keeps its own `this`. */
function delegating<T extends object>(original: T, given: Partial<T>): T {
  return new Proxy(original, {
    get: (target, name): unknown => {
      if (name in given) return Reflect.get(given, name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
