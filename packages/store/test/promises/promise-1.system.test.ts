/** Acknowledged is durable: real processes, killed with SIGKILL at moments that nobody chose. */

import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../../src/index.ts";
import { ChildProcess, killChildren } from "../support/child-process.ts";
import { contentsOf } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const KEYS = ["a:1", "b"] as const;
const KILLS = 20;
let directory: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});

afterEach(async () => {
  await killChildren();
  await removeDirectory(directory);
});

/** The highest seq that a process has printed for each key. */
function acknowledgedBy(lines: readonly string[]): Map<string, number> {
  return new Map(
    lines.map((line) => {
      const [key = "", seq] = line.split(" ");
      return [key, Number(seq)];
    }),
  );
}

/** `undefined`: everything acknowledged is there, the rest is a prefix, and no batch is halved. */
async function findLoss(
  acknowledged: ReadonlyMap<string, number>,
  readOnly: boolean,
): Promise<string | undefined> {
  const { store, damage } = await openCollecting(directory, { readOnly });
  try {
    for (const key of KEYS) {
      const contents = await contentsOf(store.session(key));
      const promised = acknowledged.get(key) ?? 0;
      if (contents.length < promised) return `${key}: ${promised} acknowledged, ${contents.length} there`;
      for (const [index, content] of contents.entries()) {
        if (!content.startsWith(`${key} ${index + 1} `)) return `${key} ${index + 1}: ${content}`;
      }
      const last = contents.at(-1);
      if (last !== undefined && !/ (1\/1|3\/3)$/.test(last)) return `half a batch: ${last}`;
    }
    return damage.length === 0 ? undefined : `reported damage: ${JSON.stringify(damage)}`;
  } finally {
    await store.close();
  }
}

describe("promise 1: acknowledged is durable", () => {
  test(`a writer killed ${KILLS} times, at any moment, loses nothing that it has acknowledged`, async () => {
    const acknowledged = new Map<string, number>();
    for (let kill = 1; kill <= KILLS; kill++) {
      // Every third time nothing is landed: what is acknowledged is in the journal, and must come from there.
      const writer = new ChildProcess("append-until-killed", directory, kill % 3 === 0 ? "no-landing" : "");
      // Now and then before anything is acknowledged, or while the journal of the last one is being replayed.
      if (kill % 5 !== 0) await writer.printed(1 + Math.floor(Math.random() * 12));
      await sleep(Math.random() * (kill % 5 === 0 ? 150 : 12));
      writer.signal("SIGKILL");
      expect(await writer.ended).toBe("SIGKILL");
      for (const [key, seq] of acknowledgedBy(writer.lines)) acknowledged.set(key, seq);
      // A reader sees it before anybody has recovered; every second time the next writer is the first to recover.
      expect(await findLoss(acknowledged, true)).toBeUndefined();
      if (kill % 2 === 0) expect(await findLoss(acknowledged, false)).toBeUndefined();
    }
    expect(await findLoss(acknowledged, false)).toBeUndefined();
    for (const key of KEYS) expect(acknowledged.get(key)).toBeGreaterThan(KILLS);
  });

  test("control: a writer that acknowledges before the append has resolved is caught", async () => {
    const writer = new ChildProcess("append-until-killed", directory, "ack-first");
    expect(await writer.ended).toBe("SIGKILL");
    const acknowledged = acknowledgedBy(writer.lines);
    expect(await findLoss(acknowledged, true)).toMatch(/^(a:1|b): \d+ acknowledged, \d+ there$/);
    expect(await findLoss(acknowledged, false)).toMatch(/^(a:1|b): \d+ acknowledged, \d+ there$/);
    const store = await openStore(directory);
    for (const key of KEYS) expect(await contentsOf(store.session(key))).not.toEqual([]);
    await store.close();
  });
});
