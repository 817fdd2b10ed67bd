/**
 * What must hold for the store of a killed writer into whose session's file lines of another history of that session were put. Readers see the same before the
 * recovery and after it. Verify, before the recovery, says what a repair does and what it leaves. Every whole record is still somewhere. What is served is a record
 * of one of the two histories; one that the journal proves to be written after another record than the one before it is served in front of nothing else unless
 * something is reported.
 */

import type { Damage, Store } from "@longhand/store";
import type { SimulatedMachine } from "@longhand/store/testing";
import { openCollecting } from "../bit-flips/read-spoiled.ts";
import { DIRECTORY } from "../damage/sample-store.ts";
import { filesUnder, putFile } from "../damage/simulated-files.ts";
import { journaledLines } from "./journaled-lines.ts";
import { applyEdits } from "./line-edits.ts";
import { bytesOf, contentOf } from "./line-files.ts";
import type { Mixing, OtherHistory } from "./other-histories.ts";

/** `undefined`: nothing is wrong. `planned`: what is taken for the words of verify. */
export async function judgeMixing(mixing: Mixing, planned?: readonly Damage[]): Promise<string | undefined> {
  const { target, other } = mixing;
  const { store, file } = target;
  const edited = bytesOf(target, applyEdits(mixing));
  const start = async (): Promise<SimulatedMachine> => {
    const machine = store.capture.afterKill();
    await putFile(machine.startProcess(), file.path, edited);
    return machine;
  };
  const before = await contentsOf(await start());
  const key = keyOf(target.lines[0]);
  const reader = await openCollecting((await start()).startProcess(), [], true);
  const plan = planned ?? (await reader.verify()).damage;
  const overlaid = await servedBy(reader, key);
  await reader.close();
  const machine = await start();
  const told: Damage[] = [];
  const writer = await openCollecting(machine.startProcess(), told, false);
  const recovered = await servedBy(writer, key);
  const { damage } = await writer.repair();
  const { damage: rest } = await writer.verify();
  const served = await servedBy(writer, key);
  await writer.close();
  if (overlaid.join("\n") !== recovered.join("\n")) return "readers see something else before the recovery";
  if (countsOf(plan) !== countsOf(damage))
    return `verify says ${countsOf(plan)}: ${wordsOf(plan)}; the repair ${countsOf(damage)}: ${wordsOf(damage)}`;
  if (rest.some(({ left }) => left === undefined) || rest.length !== leftOf(plan).length)
    return `verify says ${countsOf(plan)}; the repair leaves ${wordsOf(rest)}`;
  const after = await contentsOf(machine);
  const lines = [...target.lines, ...other.lines].map((line) => line.toString("latin1").trimEnd());
  const records = lines.filter((line) => line.startsWith('{"seq":'));
  const lost = records.find((line) => before.includes(line) && !after.includes(line));
  if (lost !== undefined) return `this line is nowhere any more: ${lost}`;
  return judgeServed({ target, other }, served, damage);
}

function judgeServed(
  { target, other }: OtherHistory,
  served: readonly string[],
  reported: readonly Damage[],
): string | undefined {
  const { store, file } = target;
  const journaled = new Set(journaledLines(store).map(({ raw }) => recordOf(raw)));
  const foreign = new Set(other.lines.map(recordOf));
  const own = new Set(
    [...store.originals.values()]
      .filter(({ id }) => file.owners.has(id))
      .flatMap(({ records }) => [...records.values()]),
  );
  const invented = served.find((record) => !own.has(record) && !foreign.has(record));
  if (invented !== undefined) return `neither history has ${invented}`;
  if (reported.length > 0) return undefined;
  const mixed = served.find(
    (record, index) => journaled.has(record) && !foreign.has(record) && foreign.has(served[index - 1] ?? ""),
  );
  return mixed === undefined
    ? undefined
    : `${mixed} is served behind a record of another history, and nothing is reported`;
}

const OF_THE_LINE: ReadonlySet<string> = new Set(["crc", "batch", "id"]);

/** As `records()` yields it: without what only the line has. */
function recordOf(line: Buffer): string {
  const fields = Object.entries(JSON.parse(line.toString()) as Record<string, unknown>);
  return JSON.stringify(Object.fromEntries(fields.filter(([name]) => !OF_THE_LINE.has(name))));
}

function keyOf(header: Buffer | undefined): string {
  return (JSON.parse(header?.toString() ?? "{}") as { readonly key?: string }).key ?? "";
}

async function servedBy(store: Store, key: string): Promise<readonly string[]> {
  const served: string[] = [];
  for await (const record of store.session(key).records()) served.push(JSON.stringify(record));
  return served;
}

async function contentsOf(machine: SimulatedMachine): Promise<string> {
  const files = await filesUnder(machine.startProcess(), DIRECTORY);
  const kept = files.filter(({ path }) => !path.includes("/cache/"));
  return kept.map(({ bytes }) => contentOf(bytes).toString("latin1")).join("\n");
}

const leftOf = (damage: readonly Damage[]): readonly Damage[] =>
  damage.filter(({ left }) => left !== undefined);

function countsOf(damage: readonly Damage[]): string {
  const left = leftOf(damage).length;
  return `${damage.length - left} mendable, ${left} left`;
}

function wordsOf(damage: readonly Damage[]): string {
  return damage.map(({ file, offset, reason }) => `${file} at ${offset}: ${reason}`).join("; ");
}
