import type { FileSystem, Host } from "./host.ts";

/** The same host with another file system, such as one that refuses some paths. */
export function withFiles(host: Host, files: FileSystem): Host {
  return {
    files,
    processes: host.processes,
    user: host.user,
    now: () => host.now(),
    randomBytes: (length) => host.randomBytes(length),
    wait: async (milliseconds, background, ended) => await host.wait(milliseconds, background, ended),
  };
}
