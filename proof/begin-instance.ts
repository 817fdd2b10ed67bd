/** For searches that need a running instance: a store begins its own with the first call that may change something. */

import type { Store } from "@longhand/store";
import type { SimulatedMachine } from "@longhand/store/testing";

/** Such a call, which changes no session. Answers with the instance's id; rejects if none has begun. */
export async function beginInstance(
  machine: SimulatedMachine,
  store: Store,
  directory: string,
): Promise<string> {
  const before = await instancesIn(machine, directory);
  await store.purge({ dryRun: true });
  const [begun] = (await instancesIn(machine, directory)).filter((instance) => !before.includes(instance));
  if (begun === undefined) throw new Error("the store had an instance before, or still has none");
  return begun;
}

async function instancesIn(machine: SimulatedMachine, directory: string): Promise<readonly string[]> {
  const names = await machine.startProcess().files.readDirectory(`${directory}/.longhand/journal`);
  return names.filter((name) => name.endsWith(".journal")).map((name) => name.slice(0, name.indexOf(".")));
}
