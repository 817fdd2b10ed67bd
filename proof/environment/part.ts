/**
 * Every pair of environments: what of the boot id, the pid and time namespaces, the start time, the host name, the socket
 * and the file system each side can see, and whether they are threads of one process. A living instance is never taken for dead,
 * also if it is stopped; a dead one is replaced, or named.
 */

import { SimulatedMachine, type Host } from "@longhand/store/testing";
import { Violation, type Findings, type Part } from "../part.ts";
import { judgeLiveness, judgeWrite, KEY, open, type Pair, type Running } from "./judge-pair.ts";
import { askerHost, MISTAKES, ownerHost } from "./side-hosts.ts";
import {
  ASKERS,
  canBe,
  isDead,
  OWNER_STATES,
  OWNERS,
  PLACES,
  type OwnerSide,
  type OwnerState,
} from "./sides.ts";
import { Stop } from "./stop.ts";

/** Prime to how many values each property has: every slice has all of them. */
const SLICES = 11;
/** One in so many pairs is written to as well; which ones, the seed says. */
const WRITTEN_TO = 307;

export const environment: Part = {
  name: "environment",
  title: "Environments",
  counts: { pairs: 1_300_000, writes: 3_500, "pairs of threads": 5_800 },
  gateSlices: SLICES,
  weight: 0,
  obstacle: () => Promise.resolve(undefined),
  run: async ({ seed, number }, findings) => {
    for (const [index, owner] of OWNERS.entries())
      if (index % SLICES === number) await judgeOwner(owner, seed, findings);
  },
  control: async (findings) => {
    let found: unknown;
    for (const mistake of Object.values(MISTAKES)) {
      found = await violationWith(mistake, findings);
      if (found === undefined) return;
    }
    throw found;
  },
};

/** The first that is found with this mistake. */
export async function violationWith(mistake: Spoil, findings: Findings): Promise<Violation | undefined> {
  try {
    for (const owner of OWNERS) await judgeOwner(owner, 0, findings, mistake);
    return undefined;
  } catch (error) {
    if (error instanceof Violation) return error;
    throw error;
  }
}

type Spoil = (host: Host, pair: Pair) => Host;

async function judgeOwner(
  owner: OwnerSide,
  seed: number,
  findings: Findings,
  spoil: Spoil = (host) => host,
): Promise<void> {
  for (const state of OWNER_STATES) {
    const running = await start(owner, state);
    const asking = running.machine.startProcess();
    for (const [number, asker] of ASKERS.entries()) {
      for (const place of PLACES) {
        if (!canBe(place, owner, asker, state)) continue;
        const pair: Pair = { owner, asker, place, state };
        await judgeLiveness(spoil(askerHost(asking, running.process, pair), pair), pair);
        findings.count(place === "this process" ? "pairs of threads" : "pairs");
        if ((number + seed) % WRITTEN_TO !== 0) continue;
        const anew = await start(owner, state);
        const host = askerHost(anew.machine.startProcess(), anew.process, pair);
        await judgeWrite(spoil(host, pair), anew, pair);
        findings.count("writes");
      }
    }
  }
}

/** It was answered for one record, and holds the session. */
async function start(owner: OwnerSide, state: OwnerState): Promise<Running> {
  const machine = new SimulatedMachine(1);
  const process = machine.startProcess();
  const stop = new Stop();
  const store = await open(ownerHost(process, owner, stop));
  await store.session(KEY).append({ role: "user", content: "one" });
  if (isDead(state)) process.kill();
  if (state === "stopped") stop.stop();
  return { machine, process, store, resume: () => stop.resume() };
}
