/** A simulated process in an environment of its own: what it can say of itself, and what it sees of others. */

import type { Host, ProcessIdentity } from "../../src/host/host.ts";

export interface Environment {
  /** What is different about it. */
  readonly identity?: Partial<ProcessIdentity>;
  readonly fileSystem?: string;
  /** No socket accepts from here: their listeners are on another kernel. */
  readonly refuses?: boolean;
  /** What it finds out about a pid that it may ask for. */
  readonly runs?: boolean;
}

export function seenFrom(host: Host, { identity, fileSystem, refuses = false, runs }: Environment): Host {
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
      isRunning: async (asked: ProcessIdentity) => {
        if (asked.pidNamespace === undefined || asked.pidNamespace !== self.pidNamespace) return "unknown";
        if (runs !== undefined) return runs ? "running" : "gone";
        return await processes.isRunning({ ...asked, pidNamespace: processes.self.pidNamespace });
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
