import type { Host } from "../../host/host.ts";
import type { Layout } from "../../format/layout.ts";
import { instancesIn, type OtherInstances } from "../../lease/other-instances.ts";

/** No instance has left anything beside the journals: whatever lies there is of one that may live. */
export async function isQuiet(
  { files }: Host,
  { journals }: Layout,
  otherInstances: OtherInstances,
): Promise<boolean> {
  const names = await files.readDirectory(journals);
  const instances = instancesIn(names);
  if (!names.every((name) => instances.some((instance) => name.startsWith(instance)))) return false;
  for (const instance of instances) {
    if ((await otherInstances.look(instance)).liveness === "dead") return false;
  }
  return true;
}
