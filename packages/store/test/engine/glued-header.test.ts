/**
 * A line glued to the header of its session's file, on either side, and a header glued to any other line: opening, reading and verify say the same, the dry run finds what
 * the repair mends, and no record is lost.
 */

import { describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type Damage, type Store } from "../../src/index.ts";
import { SimulatedMachine, type Capture, type Host } from "../../src/testing/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { DIRECTORY, readSimulatedFile, writeSimulatedFile } from "../support/simulated-store.ts";

const KEY = "a";
const PATH = `${DIRECTORY}/${KEY}.jsonl`;
const CONTENTS = ["one", "two", "three", "four"];

async function open(host: Host): Promise<{ readonly store: Store; readonly damage: readonly Damage[] }> {
  const damage: Damage[] = [];
  const onDamage = (found: Damage): unknown => damage.push(found);
  return { store: await openStore(jsonlBackend(DIRECTORY, { host }), { onDamage }), damage };
}

async function written(isSealed: boolean): Promise<Capture> {
  const machine = new SimulatedMachine(7);
  const { store } = await open(machine.startProcess());
  for (const content of CONTENTS.slice(0, 2)) await store.session(KEY).append(user(content));
  if (isSealed) await store.reclaim({ seal: true });
  for (const content of CONTENTS.slice(2)) await store.session(KEY).append(user(content));
  await store.close();
  return machine.capture();
}

type Edit = (lines: readonly string[]) => string;

/** The store with other bytes in the file of its session. */
async function edited(capture: Capture, edit: Edit): Promise<Host> {
  const machine = capture.afterKill();
  const bytes = await readSimulatedFile(machine.startProcess(), PATH);
  const text = edit(bytes.toString().split(/(?<=\n)/));
  await writeSimulatedFile(machine.startProcess(), PATH, Buffer.from(text));
  return machine.startProcess();
}

type Glue = "in front" | "behind" | "between";

/** Line `from` is put before line `to`, without its newline (in front), or behind it, without that one's; between: without both. */
function glued(from: number, to: number, how: Glue, isCopy: boolean): Edit {
  return (lines) => {
    const line = (lines[from] ?? "").replace("\n", how === "behind" ? "\n" : "");
    const at = how === "in front" ? to : to + 1;
    const opened = how === "in front" ? lines : lines.with(to, (lines[to] ?? "").replace("\n", ""));
    const isBehind = from >= at ? 1 : 0;
    const all = opened.toSpliced(at, 0, line);
    return (isCopy ? all : all.toSpliced(from + isBehind, 1)).join("");
  };
}

/** What is said by reading, opening and verify before the repair, and by the repair; and that nothing is lost. */
async function judge(host: Host): Promise<readonly string[]> {
  const reader = await open(host);
  const read = await contentsOf(reader.store.session(KEY)).catch(String);
  const { damage } = await reader.store.verify();
  const reasons = damage.map(({ offset, reason }) => `${offset}: ${reason}`);
  for (const each of reader.damage) expect(reasons).toContain(`${each.offset}: ${each.reason}`);
  const appended = await reader.store
    .session(KEY)
    .append(user("five"))
    .then(({ seq }) => seq, String);
  const report = await reader.store.repair();
  if (typeof read === "string") {
    const [first] = damage.filter(({ offset }) => offset === 0);
    expect(first?.reason).toBeDefined();
    expect(read).toContain(first?.reason ?? "");
    expect(appended).toContain(first?.reason ?? "");
    expect(report.damage).toEqual(damage);
  } else expect(appended).toBe(5);
  expect(report.lost).toBeUndefined();
  expect(report.damage.filter(({ left }) => left !== undefined)).toEqual([]);
  expect((await reader.store.verify()).damage).toEqual([]);
  if (typeof read === "string") expect((await reader.store.session(KEY).append(user("five"))).seq).toBe(5);
  expect(await contentsOf(reader.store.session(KEY))).toEqual([...CONTENTS, "five"]);
  await reader.store.close();
  return reasons;
}

describe.each([false, true])("the session has a sealed file: %s", (isSealed) => {
  /** The header, a checkpoint if there is a file before, and the records. */
  const count = isSealed ? 4 : 5;
  const others = Array.from({ length: count - 1 }, (_, index) => index + 1);

  test.each(others)("line %i is glued to the header", async (line) => {
    const capture = await written(isSealed);
    for (const isCopy of [true, false]) {
      const inFront = await judge(await edited(capture, glued(line, 0, "in front", isCopy)));
      expect(inFront[0]).toBe("0: no header line");
      const behind = await judge(await edited(capture, glued(line, 0, "behind", isCopy)));
      expect(behind[0]).toBe("0: no header line");
      await judge(await edited(capture, glued(line, 0, "between", isCopy)));
    }
  });

  test.each(others)("the header is glued to line %i", async (line) => {
    const capture = await written(isSealed);
    for (const isCopy of [true, false]) {
      for (const how of ["in front", "behind", "between"] as const)
        await judge(await edited(capture, glued(0, line, how, isCopy)));
    }
  });

  test("the first line behind a damaged header is glued in front of it", async () => {
    const capture = await written(isSealed);
    const spoiled: Edit = ([header = "", ...lines]) =>
      glued(1, 0, "in front", false)([header.replace('"at":"20', '"at":"31'), ...lines]);
    await judge(await edited(capture, spoiled));
  });

  test("everything is glued together, the header in the middle", async () => {
    const capture = await written(isSealed);
    const edit: Edit = ([header = "", ...lines]) =>
      [...lines.slice(0, 2), header, ...lines.slice(2)].join("").replaceAll("\n", "") + "\n";
    await judge(await edited(capture, edit));
  });
});
