/**
 * Many processes, one store: 8 processes append 2,000 messages each to sessions they share, while they are killed and
 * stopped at moments that nobody chose. Nothing is lost, doubled or out of order.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SeededRandom } from "../../src/testing/seeded-random.ts";
import { ChildProcess, killChildren } from "../support/child-process.ts";
import { contentsOf } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const SESSIONS = 6;
let directory: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});

afterEach(async () => {
  await killChildren();
  await removeDirectory(directory);
});

interface Harm {
  readonly kills: number;
  readonly stops: number;
}

/** Runs one writer to its end, through as many lives as it takes. */
async function runWriter(writer: number, appends: number, random: SeededRandom, harm: Harm): Promise<void> {
  let done = 0;
  let { kills, stops } = harm;
  while (done < appends) {
    const child = new ChildProcess(
      "append-shared",
      directory,
      String(writer),
      String(done + 1),
      String(appends),
      String(SESSIONS),
    );
    const life = { isOver: false };
    void child.ended.then(() => (life.isOver = true));
    while (!life.isOver) {
      await Promise.race([child.ended, sleep(100 + random.below(1500))]);
      if (hasEnded(life) || child.lines.length === 0) continue;
      if (stops > 0 && random.below(2) === 0) {
        stops--;
        child.signal("SIGSTOP");
        await sleep(50 + random.below(400));
        child.signal("SIGCONT");
      } else if (kills > 0) {
        kills--;
        await child.kill();
      }
    }
    const how = await child.ended;
    if (how !== 0 && how !== "SIGKILL") throw new Error(`writer ${writer} ended with ${how}`);
    done = Math.max(done, ...child.lines.slice(-1).map(Number));
  }
}

/** It changes while we wait, which the compiler cannot see. */
function hasEnded(life: { readonly isOver: boolean }): boolean {
  return life.isOver;
}

interface Outcome {
  readonly total: number;
  readonly problems: readonly string[];
}

async function examine(writers: number, appends: number): Promise<Outcome> {
  const problems: string[] = [];
  const seen = new Map<string, number>();
  const { store, damage } = await openCollecting(directory);
  try {
    for (let session = 0; session < SESSIONS; session++) {
      const key = `shared:${session}`;
      const lastOf = new Map<string, number>();
      for (const content of await contentsOf(store.session(key))) {
        const [writer = "", number = "", where] = content.split(" ");
        if (where !== key) problems.push(`${content} is in ${key}`);
        if (Number(number) <= (lastOf.get(writer) ?? 0))
          problems.push(`${content} is out of order or doubled`);
        lastOf.set(writer, Number(number));
        seen.set(content, (seen.get(content) ?? 0) + 1);
      }
    }
    for (const [content, times] of seen) if (times > 1) problems.push(`${content} is there ${times} times`);
    const missing = writers * appends - seen.size;
    if (missing > 0) problems.push(`${missing} are missing`);
    problems.push(...damage.map((place) => JSON.stringify(place)));
    return { total: seen.size, problems };
  } finally {
    await store.close();
  }
}

async function run(writers: number, appends: number, harm: Harm): Promise<Outcome> {
  const random = new SeededRandom(7);
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      await runWriter(writer, appends, new SeededRandom(random.below(2 ** 31)), harm);
    }),
  );
  return await examine(writers, appends);
}

describe("processes that share sessions", () => {
  test("8 × 2,000 appends with kills and stops: nothing lost, doubled or out of order", async () => {
    const { total, problems } = await run(8, 2000, { kills: 4, stops: 4 });
    expect(problems).toEqual([]);
    expect(total).toBe(16_000);
  }, 300_000);

  test("control: what is missing, doubled, out of order or in the wrong session is found", async () => {
    expect((await run(2, 30, { kills: 0, stops: 0 })).problems).toEqual([]);
    expect((await examine(2, 31)).problems).toEqual(["2 are missing"]);
    const { store } = await openCollecting(directory);
    const [first = "", second = ""] = await contentsOf(store.session("shared:0"));
    for (const content of [first, second]) await store.session("shared:1").append({ role: "user", content });
    await store.close();
    const { problems } = await examine(2, 30);
    expect(problems).toContain(`${first} is in shared:1`);
    expect(problems).toContain(`${first} is there 2 times`);
    expect(problems.some((problem) => problem.endsWith("is out of order or doubled"))).toBe(true);
  }, 120_000);
});
