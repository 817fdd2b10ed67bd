/**
 * Every pair of environments: what of the boot id, the pid namespace, the start time, the host name, the socket and the
 * file system each side can see. A living instance is never taken for dead; a dead one is replaced, or named.
 */

import { SimulatedMachine, type Host } from "@longhand/store/testing";
import type { Findings, Part } from "../part.ts";
import { judgeLiveness, judgeWrite, KEY, open, type Pair, type Running } from "./judge-pair.ts";
import { askerHost, ownerHost, withoutAsking } from "./side-hosts.ts";
import { ASKERS, canBe, OWNERS, PLACES, type AskerSide, type OwnerSide } from "./sides.ts";

const SLICES = 4;
/** One in so many pairs is written to as well; which ones, the seed says. */
const WRITTEN_TO = 37;

export const environment: Part = {
  name: "environment",
  title: "Environments",
  counts: { pairs: 70_000, writes: 700 },
  gateSlices: SLICES,
  weight: 0,
  obstacle: () => Promise.resolve(undefined),
  run: async ({ seed, number }, findings) => {
    for (const [index, owner] of OWNERS.entries())
      if (index % SLICES === number) await judgeOwner(owner, seed, findings);
  },
  control: async (findings) => {
    for (const owner of OWNERS) await judgeOwner(owner, 0, findings, withoutAsking);
  },
};

type Spoil = (host: Host, owner: OwnerSide, asker: AskerSide) => Host;

async function judgeOwner(
  owner: OwnerSide,
  seed: number,
  findings: Findings,
  spoil: Spoil = (host) => host,
): Promise<void> {
  for (const isDead of [false, true]) {
    const running = await start(owner, isDead);
    const asking = running.machine.startProcess();
    for (const [number, asker] of ASKERS.entries()) {
      for (const place of PLACES) {
        if (!canBe(place, owner, asker)) continue;
        const pair: Pair = { owner, asker, place, isDead };
        await judgeLiveness(spoil(askerHost(asking, asker, owner, place), owner, asker), pair);
        findings.count("pairs");
        if ((number + seed) % WRITTEN_TO !== 0) continue;
        const anew = await start(owner, isDead);
        const host = askerHost(anew.machine.startProcess(), asker, owner, place);
        await judgeWrite(spoil(host, owner, asker), anew, pair);
        findings.count("writes");
      }
    }
  }
}

/** It was answered for one record, and holds the session. */
async function start(owner: OwnerSide, isDead: boolean): Promise<Running> {
  const machine = new SimulatedMachine(1);
  const process = machine.startProcess();
  const store = await open(ownerHost(process, owner));
  await store.session(KEY).append({ role: "user", content: "one" });
  if (isDead) process.kill();
  return { machine, process, store };
}
