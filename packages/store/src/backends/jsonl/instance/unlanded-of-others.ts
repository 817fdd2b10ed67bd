import type { FileSystem } from "../../../host/host.ts";
import { errorCode } from "../../../host/io-error.ts";
import type { Damage } from "../../../record/session-record.ts";
import type { Instance } from "./begin-instance.ts";
import { readUnlanded } from "./dead-journals.ts";
import type { Layout } from "../files/layout.ts";
import { listInstances } from "../leases/neighbours.ts";
import type { ReadPlace } from "../reading/read-session.ts";
import type { Id } from "../../../record/session-id.ts";

/**
 * For an instance that reads what it does not hold. Dead instances are taken over first; where somebody else is at it,
 * what they have left is laid over the files instead of waiting for him. Costs one look at the journals where there is
 * only our own. `undefined`: not even that is there.
 */
export async function unlandedOfOthers(
  files: FileSystem,
  layout: Layout,
  { self, neighbours, adoption }: Instance,
  onDamage: (damage: Damage) => void,
): Promise<ReadPlace["patchesOf"] | undefined> {
  const instances = await listInstances(files, layout).catch((error: unknown): Id[] => {
    if (errorCode(error) === "ENOTDIR") return [];
    throw error;
  });
  if (!instances.includes(self.instance)) return undefined;
  const unlanded: Id[] = [];
  for (const instance of instances) {
    if (instance === self.instance) continue;
    if ((await neighbours.look(instance)).liveness !== "dead") continue;
    if ((await adoption.tryAdopt(instance)) !== undefined) unlanded.push(instance);
  }
  return await readUnlanded(files, layout, unlanded, onDamage);
}
