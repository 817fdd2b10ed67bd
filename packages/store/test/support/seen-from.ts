/** A simulated process in an environment of its own: what it can say of itself, and what it sees of others. */

import type { Host, ProcessIdentity } from "../../src/host/host.ts";

export interface Environment {
  /** What is different about it. */
  readonly identity?: Partial<ProcessIdentity>;
  readonly fileSystem?: string;
  /** No socket accepts from here: their listeners are on another kernel. */
  readonly refuses?: boolean;
  /** No pid is one of a process here: they are on another kernel, or in another pid namespace. */
  readonly findsNoProcess?: boolean;
}

export function seenFrom(
  host: Host,
  { identity, fileSystem, refuses = false, findsNoProcess = false }: Environment,
): Host {
  const { files, processes } = host;
  const self = { ...processes.self, ...identity };
  return {
    files: delegated(files, {
      typeAt: async (path: string) => fileSystem ?? (await files.typeAt(path)),
    }),
    processes: delegated(processes, {
      self,
      probe: async (path: string) => {
        const answer = await processes.probe(path);
        return answer === "listening" && refuses ? "refused" : answer;
      },
      find: async (pid: number) => {
        const found = findsNoProcess ? "none" : await processes.find(pid);
        // Where it cannot see when it started itself, it cannot see that of others.
        return found === "none" || self.startTime !== undefined ? found : { startTime: undefined };
      },
    }),
    user: host.user,
    now: () => host.now(),
    randomBytes: (length) => host.randomBytes(length),
    wait: async (milliseconds, background, ended) => await host.wait(milliseconds, background, ended),
  };
}

/** What is given, and for the rest the original, which keeps its own `this`. */
function delegated<T extends object>(original: T, given: Partial<T>): T {
  return new Proxy(original, {
    get: (target, name): unknown => {
      if (name in given) return Reflect.get(given, name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
