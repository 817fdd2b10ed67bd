/**
 * Every single call of a workload fails, in each way it can. A failure surfaces as a typed error; what was acknowledged
 * is there afterwards, what was refused is not, and the store works again when it is reopened.
 */

import { describe, expect, test } from "vitest";
import { isLonghandError, openStore } from "../../src/index.ts";
import { jsonlBackend } from "../../src/backends/jsonl/jsonl-backend.ts";
import type { Host } from "../../src/host/host.ts";
import { failingHost } from "../../src/testing/failing-host.ts";
import { failForEver, failOnce, fillDisk, type FaultPlan } from "../../src/testing/fault-plan.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { DIRECTORY } from "./crash-oracle.ts";
import { withRetriedSync } from "./forgetful-host.ts";
import { user } from "./workloads.ts";

const KEYS = ["a:1", "b"] as const;
const JOURNAL_BYTES = 400;

type Kind = readonly [name: string, plan: (number: number) => FaultPlan, lasts: boolean];
const KINDS: readonly Kind[] = [
  ...["EIO", "ENOSPC", "EMFILE", "EACCES", "EROFS"].map((code): Kind => [
    `${code} once`,
    (number) => failOnce(number, { kind: "error", code }),
    false,
  ]),
  ["EIO for ever", (number) => failForEver(number, { kind: "error", code: "EIO" }), true],
  ["ENOSPC for ever", (number) => failForEver(number, { kind: "error", code: "ENOSPC" }), true],
  ["a short write", (number) => failOnce(number, { kind: "short", bytes: 7 }), false],
  ["a short write, then a full disk once", (number) => fillDisk(number, 7, false), false],
  ["a short write, then a full disk", (number) => fillDisk(number, 7, true), true],
];

/** What became of each message: all of them are different. */
interface Outcomes {
  readonly acknowledged: string[];
  readonly refused: string[];
  readonly untyped: unknown[];
}

async function useStore(host: Host): Promise<Outcomes> {
  const outcomes: Outcomes = { acknowledged: [], refused: [], untyped: [] };
  const attempt = async (content: string, run: () => Promise<unknown>): Promise<void> => {
    try {
      await run();
      outcomes.acknowledged.push(content);
    } catch (error) {
      if (!isLonghandError(error)) outcomes.untyped.push(error);
      // STORE_FAILED says that nobody can tell; everything else says that nothing was written.
      else if (error.code !== "STORE_FAILED") outcomes.refused.push(content);
    }
  };
  try {
    const store = await openStore(jsonlBackend(DIRECTORY, { host, journalBytes: JOURNAL_BYTES }), {
      onError: () => undefined,
      onDamage: () => undefined,
    });
    for (let round = 1; round <= 3; round++) {
      for (const key of KEYS)
        await attempt(`${key} ${round}`, () => store.session(key).append(user(`${key} ${round}`)));
    }
    await expectTyped(outcomes, async () => await store.session("b").archive());
    await expectTyped(outcomes, async () => await store.search("a"));
    await attempt("b restored", async () => await store.session("b").append(user("b restored")));
    await attempt("a:1 last", () => store.session("a:1").append([user("a:1 last"), user("a:1 very last")]));
    await store.close();
  } catch (error) {
    if (!isLonghandError(error)) outcomes.untyped.push(error);
  }
  return outcomes;
}

/** What it does is another test's affair; here it may fail, but not otherwise than by a typed error. */
async function expectTyped(outcomes: Outcomes, run: () => Promise<unknown>): Promise<void> {
  await run().catch((error: unknown) => {
    if (!isLonghandError(error)) outcomes.untyped.push(error);
  });
}

async function readAll(host: Host): Promise<string[]> {
  const store = await openStore(jsonlBackend(DIRECTORY, { host }));
  const contents: string[] = [];
  for (const key of KEYS) {
    for (const { content } of await store.session(key).messages()) contents.push(content as string);
    await store.session(key).append(user("after the failure"));
  }
  await store.close();
  return contents;
}

function judge({ acknowledged, refused, untyped }: Outcomes, found: readonly string[]): string | undefined {
  if (untyped.length > 0) return `not a typed error: ${String(untyped[0])}`;
  const lost = acknowledged.filter((content) => !found.includes(content));
  if (lost.length > 0) return `acknowledged and lost: ${lost.join(", ")}`;
  const invented = refused.filter((content) => found.includes(content));
  if (invented.length > 0) return `refused and there: ${invented.join(", ")}`;
  if (new Set(found).size !== found.length) return `doubled: ${found.join(", ")}`;
  if (found.includes("a:1 last") !== found.includes("a:1 very last")) return "half a batch";
  const isOrdered = KEYS.every((key) => {
    const rounds = found.filter((content) => /\d$/.test(content) && content.startsWith(`${key} `));
    return rounds.join() === [...rounds].sort().join();
  });
  return isOrdered ? undefined : `out of order: ${found.join(", ")}`;
}

/** The first violation over all calls, and how many calls were made to fail. */
async function sweep(
  plan: (number: number) => FaultPlan,
  lasts: boolean,
  spoil: (host: Host) => Host = (host) => host,
): Promise<{ violation: string | undefined; faults: number }> {
  let faults = 0;
  for (let number = 1; ; number++) {
    const machine = new SimulatedMachine(number);
    const process = machine.startProcess();
    const host = failingHost(process, plan(number));
    const outcomes = await useStore(spoil(host));
    if (host.faults === 0 && number > host.calls) return { violation: undefined, faults };
    faults += host.faults;
    const afterwards = [machine.capture().afterKill(), ...machine.capture().afterPowerLoss({ limit: 4 })];
    // A fault that has passed: the same process reopens the store, without being killed first.
    const found = lasts ? [] : [await readAll(process)];
    for (const crashed of afterwards) found.push(await readAll(crashed.startProcess()));
    for (const contents of found) {
      const violation = judge(outcomes, contents);
      if (violation !== undefined) return { violation: `call ${number}: ${violation}`, faults };
    }
  }
}

describe("every failing call", () => {
  test.each(KINDS)("%s", async (_name, plan, lasts) => {
    const { violation, faults } = await sweep(plan, lasts);
    expect(violation).toBeUndefined();
    expect(faults).toBeGreaterThan(10);
  });

  test("control: a failed sync that is tried again and believed loses data", async () => {
    const failedSync = (number: number): FaultPlan => failOnce(number, { kind: "error", code: "EIO" });
    expect((await sweep(failedSync, false, withRetriedSync)).violation).toContain("acknowledged and lost");
  });

  test("control: the judge sees what is lost, refused and doubled", () => {
    const outcomes = { acknowledged: ["b 1"], refused: ["b 2"], untyped: [] };
    expect(judge(outcomes, [])).toContain("lost");
    expect(judge(outcomes, ["b 1", "b 2"])).toContain("refused and there");
    expect(judge(outcomes, ["b 1", "b 1"])).toContain("doubled");
  });
});
