import type { Host } from "../../src/host/host.ts";
import { DIRECTORY, readSimulatedFile } from "./simulated-store.ts";

/** Every file of the store by its path, but for the caches. */
export async function filesIn(
  host: Host,
  directory: string = DIRECTORY,
): Promise<ReadonlyMap<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for (const name of await host.files.readDirectory(directory)) {
    if (name === "cache") continue;
    const path = `${directory}/${name}`;
    const kind = (await host.files.stat(path))?.kind;
    if (kind === "file") found.set(path, await readSimulatedFile(host, path));
    if (kind === "directory") for (const each of await filesIn(host, path)) found.set(...each);
  }
  return found;
}
