/**
 * What must hold for a store of a killed writer with lines of another history in a session's file: verify, beside the journal
 * and without a recovery, says what a repair will do and leave; readers before the recovery and after it see the same; no
 * whole line is lost; what is mixed is told.
 */

import { jsonlBackend, openStore, type Damage, type Store } from "../../src/index.ts";
import type { Host } from "../../src/host/host.ts";
import type { SimulatedMachine } from "../../src/testing/index.ts";
import { recordsOf } from "./conversation.ts";
import { DIRECTORY } from "./simulated-store.ts";
import { filesIn } from "./simulated-files.ts";
import { KEY, otherText, ownText, type TwoHistories } from "./two-histories.ts";

export interface Repaired {
  readonly served: readonly string[];
  readonly damage: readonly Damage[];
  readonly left: readonly Damage[];
}

/** `undefined`: nothing is wrong. `planned`: what verify says, of a machine with the same disk. */
export async function judgeForeignLines(
  start: () => SimulatedMachine,
  histories: TwoHistories,
  planned?: readonly Damage[],
): Promise<string | undefined> {
  const before = await filesIn(start().startProcess());
  const reader = await opened(start().startProcess(), true);
  const plan = planned ?? (await reader.verify()).damage;
  const overlaid = await servedBy(reader);
  await reader.close();
  const machine = start();
  const writer = await opened(machine.startProcess(), false);
  const recovered = await servedBy(writer);
  const { damage } = await writer.repair();
  const left = (await writer.verify()).damage;
  const served = await servedBy(writer);
  await writer.close();
  if (overlaid.join() !== recovered.join())
    return `readers see ${overlaid.join()} before a recovery, and ${recovered.join()} after it`;
  if (countsOf(plan) !== countsOf(damage))
    return `verify says ${countsOf(plan)} (${wordsOf(plan)}); a repair: ${countsOf(damage)} (${wordsOf(damage)})`;
  const unplanned = left.find((each) => each.left === undefined);
  if (unplanned !== undefined || left.length !== plan.filter(isLeft).length)
    return `verify says ${countsOf(plan)}; a repair leaves ${wordsOf(left)}`;
  const after = Buffer.concat([...(await filesIn(machine.startProcess())).values()]);
  return (
    lostLine(Buffer.concat([...before.values()]), after, histories) ??
    untoldMix(before, { served, damage, left }, histories)
  );
}

async function opened(host: Host, readOnly: boolean): Promise<Store> {
  const ignored = { onDamage: () => undefined, onError: () => undefined };
  return await openStore(jsonlBackend(DIRECTORY, { host }), { readOnly, ...ignored });
}

/** "own 3". */
async function servedBy(store: Store): Promise<readonly string[]> {
  const records = await recordsOf(store.session(KEY));
  return records.map((record) => {
    const content = record.op === undefined ? record.message.content : undefined;
    return typeof content === "string" ? content : `seq ${record.seq}`;
  });
}

const isLeft = ({ left }: Damage): boolean => left !== undefined;

function countsOf(damage: readonly Damage[]): string {
  const left = damage.filter(isLeft).length;
  return `${damage.length - left} mendable, ${left} left`;
}

function wordsOf(damage: readonly Damage[]): string {
  return damage.map(({ file, offset, reason }) => `${file} at ${offset}: ${reason}`).join("; ");
}

function lostLine(before: Buffer, after: Buffer, { own, other, strange }: TwoHistories): string | undefined {
  const lost = [...own.slice(1), ...other, ...strange]
    .map((line) => line.subarray(0, -1))
    .find((line) => before.includes(line) && !after.includes(line));
  return lost === undefined ? undefined : `this line is nowhere any more: ${lost.toString()}`;
}

/**
 * A record of the other history in front of one that a journal has, which was written after another: the report says so, or
 * that lines are not in their places. Without a journal that has the record behind, nothing can tell.
 */
function untoldMix(
  before: ReadonlyMap<string, Buffer>,
  { served, damage }: Repaired,
  { plan: { before: unjournaled } }: TwoHistories,
): string | undefined {
  const known = Buffer.concat(
    [...before].flatMap(([path, bytes]) => (/\.(journal|records)$/.test(path) ? [bytes] : [])),
  );
  const mixed = served.find((text, index) => {
    const seq = Number(/\d+$/.exec(text)?.[0]);
    const isJournaled = text === ownText(seq) && seq > unjournaled && known.includes(`"${text}"`);
    return isJournaled && served[index - 1] === otherText(seq - 1);
  });
  if (mixed === undefined || damage.length > 0) return undefined;
  return `"${mixed}" is served behind a record of another history, and nothing is reported: ${served.join()}`;
}
