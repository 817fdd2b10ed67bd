import type { Host } from "../../host/host.ts";
import { TEMPORARY_PREFIX, type Layout } from "../../format/layout.ts";
import { instancesIn, type OtherInstances } from "../../lease/other-instances.ts";

/** Whatever lies beside the journals and among temporary files is of an instance that may live: there is nothing to recover or tidy. */
export async function isQuiet(
  { files }: Host,
  { journals, temporary }: Layout,
  otherInstances: OtherInstances,
): Promise<boolean> {
  const names = await files.readDirectory(journals);
  const instances = instancesIn(names);
  const isOfInstance = (name: string): boolean => instances.some((instance) => name.startsWith(instance));
  if (!names.every(isOfInstance)) return false;
  for (const name of await files.readDirectory(temporary)) {
    if (name.startsWith(TEMPORARY_PREFIX) && !isOfInstance(name.slice(TEMPORARY_PREFIX.length))) return false;
  }
  for (const instance of instances) {
    if ((await otherInstances.look(instance)).liveness === "dead") return false;
  }
  return true;
}
