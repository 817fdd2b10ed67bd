/**
 * A living instance is taken for dead: the proof of death was wrong, and the fence is what is left. The victim is stopped
 * where it comes to its journal in an append, its adopter before each call of the takeover; the victim goes on, then the
 * adopter, or it is killed when the victim's journal has no name any more. Whatever they were answered must hold, after
 * a power loss too.
 */

import type { Host } from "@longhand/store/testing";
import { beginInstance } from "../begin-instance.ts";
import type { HostCall } from "./interrupted-host.ts";
import { RobbedMachine } from "./robbed-machine.ts";
import { nth, Stop } from "./stop.ts";
import { DIRECTORY, openQuietly } from "./told-writes.ts";

interface Robbery {
  /** Which of its calls to its journal and its fence the victim is stopped before, from 1. */
  readonly victimStops: number;
  readonly victimNeverLands: boolean;
  /** Which call of its takeover the adopter is stopped before. */
  readonly adopterStops: number;
  /** When it has removed the victim's journal, before that is durable. */
  readonly adopterIsKilled: boolean;
}

/** Every moment of both. `spoil`: what is wrong with the victim's host. Answers with how many there were. */
export async function searchRobberies(
  adopterIsKilled: boolean,
  spoil: (host: Host) => Host = (host) => host,
): Promise<number> {
  const judged = new Set<string>();
  let moments = 0;
  for (const victimNeverLands of [true, false]) {
    for (let victimStops = 1, isMet = true; isMet; victimStops++) {
      for (let adopterStops = 1; ; adopterStops++) {
        const robbery = { victimStops, victimNeverLands, adopterStops, adopterIsKilled };
        const met = await rob(robbery, spoil, judged);
        isMet = met.victim;
        if (!met.recoverer) break;
        moments += 1;
      }
    }
  }
  return moments;
}

/** Which of the two moments there were. */
async function rob(
  robbery: Robbery,
  spoil: (host: Host) => Host,
  judged: Set<string>,
): Promise<{ readonly victim: boolean; readonly recoverer: boolean }> {
  const victimStop = new Stop(nth(robbery.victimStops, ({ path }) => path.includes("/.longhand/journal/")));
  const neverLands = robbery.victimNeverLands;
  const robbed = await RobbedMachine.begin({ stop: victimStop, neverLands, spoil });
  const { machine, told, instance } = robbed;
  const bystander = await openQuietly(machine.startProcess());
  await beginInstance(machine, bystander, DIRECTORY);
  const late = robbed.appendLate();
  await Promise.race([victimStop.reached, late]);

  // From where it looks whether the victim lives, until the victim's journal is gone.
  let isAtIt = false;
  let hasRemoved = false;
  const adopterStop = new Stop(nth(robbery.adopterStops, () => isAtIt));
  const process = machine.startProcess();
  const before = async (call: HostCall): Promise<void> => {
    if (call.path.endsWith(`${instance}.fence`)) isAtIt = !hasRemoved;
    await adopterStop.pass(call);
    if (hasRemoved) isAtIt = false;
    if (hasRemoved && robbery.adopterIsKilled) process.kill();
    if (call.operation === "unlink" && call.path.endsWith(`${instance}.journal`)) hasRemoved = true;
  };
  const recovering = robbed
    .openAdopter(process, before)
    .then(async (recoverer) => {
      await told.append(recoverer, "second");
    })
    .catch((error: unknown) => {
      if (!robbery.adopterIsKilled) throw error;
    });
  await Promise.race([adopterStop.reached, recovering]);
  victimStop.letGo();
  await late;
  adopterStop.letGo();
  await recovering;
  for (const text of ["third", "fourth", "fifth"]) await told.append(bystander, text);
  await robbed.judge(judged, () => tell(robbery));
  return { victim: victimStop.isMet, recoverer: adopterStop.isMet };
}

function tell({ victimStops, victimNeverLands, adopterStops, adopterIsKilled }: Robbery): string {
  const lands = victimNeverLands ? " (but never lands what it was answered for)" : "";
  const end = adopterIsKilled ? "is killed when it has removed the victim's journal" : "goes on and appends";
  return (
    `It is stopped at call ${victimStops} to its journal in its second append, its adopter before call ${adopterStops} of the ` +
    `takeover; the victim goes on${lands}; then the adopter ${end}, then a third one appends.`
  );
}
