import type { Host } from "@longhand/store/testing";
import { altered } from "../altered-host.ts";

/** To it the instance does not seem to listen, from when on `since` says so. */
export function mistakenAbout(instance: string, host: Host, since: () => boolean = () => true): Host {
  const { processes } = host;
  return altered(host, {
    processes: altered(processes, {
      probe: async (path) => (path.includes(instance) && since() ? "refused" : await processes.probe(path)),
    }),
  });
}
