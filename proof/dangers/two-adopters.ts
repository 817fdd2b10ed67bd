/**
 * Two take a living instance for dead at the same time. The victim is stopped before its block is written; the first
 * adopter before each call of its takeover; the victim goes on, and nobody is answered. The second adopter comes as far
 * as it can, to where it would write into the session's file or waits; the first goes on and appends; then the second.
 */

import type { Host } from "@longhand/store/testing";
import { Violation } from "../part.ts";
import type { HostCall } from "./interrupted-host.ts";
import { RobbedMachine } from "./robbed-machine.ts";
import { nth, Stop } from "./stop.ts";

/** `spoil`: what is wrong with the victim's host. */
export async function searchTwoAdopters(spoil: (host: Host) => Host = (host) => host): Promise<number> {
  const judged = new Set<string>();
  for (let moments = 0; ; moments++) if (!(await robTwice(moments + 1, spoil, judged))) return moments;
}

/** Whether there was such a call. */
async function robTwice(
  firstStops: number,
  spoil: (host: Host) => Host,
  judged: Set<string>,
): Promise<boolean> {
  const victimStop = new Stop(({ operation, path }) => operation === "write" && path.endsWith(".journal"));
  const robbed = await RobbedMachine.begin({ stop: victimStop, neverLands: false, spoil });
  const { machine, told, instance } = robbed;
  const late = robbed.appendLate();
  await victimStop.reached;

  let isAtIt = false;
  const firstStop = new Stop(nth(firstStops, () => isAtIt));
  const secondStop = new Stop(isApplyOrWaiting);
  const first = robbed
    .openAdopter(machine.startProcess(), async (call) => {
      if (call.path.includes(`${instance}.`)) isAtIt = call.operation !== "unlink";
      await firstStop.pass(call);
      // The second was there before it.
      if (call.operation === "wait") secondStop.letGo();
    })
    .then(async (store) => {
      for (const text of ["second", "third", "fourth"]) await told.append(store, text);
    });
  await Promise.race([firstStop.reached, settled(first)]);
  victimStop.letGo();
  await late;

  const second = robbed.openAdopter(machine.startProcess(), async (call) => await secondStop.pass(call));
  await Promise.race([secondStop.reached, settled(second)]);
  firstStop.letGo();
  await mustNotFail(first);
  secondStop.letGo();
  await mustNotFail(second);
  await robbed.judge(
    judged,
    () =>
      `It is stopped before it writes a block; one adopter before call ${firstStops} of its takeover; the victim goes on; a second ` +
      "adopter comes as far as it can; the first goes on and appends; then the second.",
  );
  return firstStop.isMet;
}

async function settled(task: Promise<unknown>): Promise<void> {
  await task.catch(() => undefined);
}

async function mustNotFail(recoverer: Promise<unknown>): Promise<void> {
  await recoverer.catch((error: unknown) => {
    throw new Violation(
      `Two take over the same instance, and one of them cannot open the store: ${String(error)}`,
    );
  });
}

function isApplyOrWaiting({ operation, path }: HostCall): boolean {
  return operation === "wait" || (operation === "write" && path.endsWith("/a.jsonl"));
}
