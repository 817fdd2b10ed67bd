/** The published suite of what every operation means, on a simulated machine. */

import { jsonlBackend, type Backend } from "@longhand/store";
import { describeBackend, SimulatedMachine, type Host } from "@longhand/store/testing";
import { Violation } from "../part.ts";
import { DIRECTORY } from "./told-writes.ts";

/** It waits in real time, of which a simulated machine knows nothing. */
const IN_REAL_TIME = "before goes by the time of deletion";

/** `spoil`: what is wrong with the host. */
export async function runConformance(spoil: (host: Host) => Host = (host) => host): Promise<number> {
  const cases: { readonly title: string; readonly body: () => Promise<void> }[] = [];
  const on = (machine: SimulatedMachine): Backend =>
    jsonlBackend(DIRECTORY, { host: spoil(machine.startProcess()) });
  describeBackend({
    name: "jsonl",
    watchTimeoutMs: 60_000,
    capabilities: on(new SimulatedMachine(1)).capabilities,
    test: (title, body) => {
      if (!title.includes(IN_REAL_TIME)) cases.push({ title, body });
    },
    // Cases for backends that lack something.
    skip: () => undefined,
    create: async () => {
      const machine = new SimulatedMachine(1);
      const destroy = async (): Promise<void> => await Promise.resolve();
      return await Promise.resolve({ backend: on(machine), reopen: () => on(machine), destroy });
    },
  });
  for (const { title, body } of cases) {
    await body().catch((error: unknown) => {
      throw new Violation(`${title}: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
  return cases.length;
}
