/** Hosts of which some calls do something else: for searches that look in the middle of a call, and for controls. */

import type { FileSystem, Host, OpenFile } from "@longhand/store/testing";

/** `alter` gives the calls that are different. */
export function alteredHost(host: Host, alter: (files: FileSystem) => Partial<FileSystem>): Host {
  return altered(host, { files: altered(host.files, alter(host.files)) });
}

/** The files that are opened have other calls; `undefined`: this one has not. */
export function hostWithAlteredFiles(
  host: Host,
  alter: (file: OpenFile, path: string) => Partial<OpenFile> | undefined,
): Host {
  return alteredHost(host, (files) => ({
    open: async (path, mode) => {
      const file = await files.open(path, mode);
      const given = alter(file, path);
      return given === undefined ? file : altered(file, given);
    },
  }));
}

/** What is given, and for the rest the original, which keeps its own `this`. */
export function altered<T extends object>(original: T, given: Partial<T>): T {
  return new Proxy(original, {
    get: (target, name): unknown => {
      if (name in given) return Reflect.get(given, name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
