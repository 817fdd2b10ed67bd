import type { FileSystem, Host, OpenFile } from "../../src/host/host.ts";

/** `path`: of a call of the file system; `undefined` for a call of an open file. */
type Interrupt = (path: string | undefined) => Promise<void>;

/** A host that waits for `interrupt` before every call of its file system and its open files: others come in between. */
export function interruptedHost(host: Host, interrupt: Interrupt): Host {
  const { files } = host;
  return {
    files: interrupted<FileSystem>(files, interrupt, {
      open: async (path, mode) => {
        await interrupt(path);
        return interrupted<OpenFile>(await files.open(path, mode), async () => await interrupt(undefined));
      },
    }),
    processes: host.processes,
    user: host.user,
    now: () => host.now(),
    randomBytes: (length) => host.randomBytes(length),
    wait: async (milliseconds, background) => await host.wait(milliseconds, background),
  };
}

/** `given`: what is not passed on to `target`. */
function interrupted<T extends object>(target: T, interrupt: Interrupt, given: Partial<T> = {}): T {
  return new Proxy(target, {
    get: (_, name): unknown => {
      if (name in given) return Reflect.get(given, name);
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return async (...args: unknown[]): Promise<unknown> => {
        await interrupt(typeof args[0] === "string" ? args[0] : undefined);
        return await (Reflect.apply(method, target, args) as Promise<unknown>);
      };
    },
  });
}
