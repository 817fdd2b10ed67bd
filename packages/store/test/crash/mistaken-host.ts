import type { Host } from "../../src/host/host.ts";

/** To it the instance does not seem to listen. */
export function mistakenAbout(instance: string, host: Host): Host {
  const { files, processes } = host;
  return {
    files,
    processes: {
      self: processes.self,
      listen: async (path, onMessage) => await processes.listen(path, onMessage),
      tell: async (path, text) => await processes.tell(path, text),
      find: async (pid) => await processes.find(pid),
      probe: async (path) => (path.includes(instance) ? "refused" : await processes.probe(path)),
    },
    user: host.user,
    now: () => host.now(),
    randomBytes: (length) => host.randomBytes(length),
    wait: async (milliseconds, background) => await host.wait(milliseconds, background),
  };
}
