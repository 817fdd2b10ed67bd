import type { FileSystem } from "../../host/host.ts";
import { errorCode } from "../../host/io-error.ts";
import type { Damage } from "../../format/session-record.ts";
import type { Instance } from "./begin-instance.ts";
import { readUnapplied } from "./dead-journals.ts";
import type { PatchesOf } from "../../session/byte-source.ts";
import type { Layout } from "../../format/layout.ts";
import { listInstances } from "../../lease/other-instances.ts";
import type { Id } from "../../format/session-id.ts";

/**
 * For an instance that reads what it does not hold. Dead instances are taken over first; where somebody else is at it,
 * what they have left is laid over the files instead of waiting for him. Costs one look at the journals where there is
 * only our own. `undefined`: not even that is there.
 */
export async function unappliedOfOthers(
  files: FileSystem,
  layout: Layout,
  { self, otherInstances, recovery }: Instance,
  onDamage: (damage: Damage) => void,
): Promise<PatchesOf | undefined> {
  const instances = await listInstances(files, layout).catch((error: unknown): Id[] => {
    if (errorCode(error) === "ENOTDIR") return [];
    throw error;
  });
  if (!instances.includes(self.instance)) return undefined;
  const unapplied: Id[] = [];
  for (const instance of instances) {
    if (instance === self.instance) continue;
    if ((await otherInstances.look(instance)).liveness !== "dead") continue;
    if ((await recovery.tryRecover(instance)) !== undefined) unapplied.push(instance);
  }
  return await readUnapplied(files, layout, unapplied, onDamage);
}
