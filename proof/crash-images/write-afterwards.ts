/**
 * Whether a store goes on after a recovery: a repeated id is answered as before, `expectedSeq` is honoured, what is
 * appended is read back, is there for the next process after a kill, and survives a power loss.
 */

import { isLonghandError, type SessionRecord, type Store } from "@longhand/store";
import type { CrashableHost, SimulatedMachine } from "@longhand/store/testing";
import { bodyOf, user } from "./perform-step.ts";
import type { Workload } from "./step.ts";
import type { Timeline } from "./timeline.ts";
import { differenceOf, readView, type KeyView, type View } from "./view.ts";
import { CLOCK_AFTER_CRASH, openOn, tellDamage } from "./world.ts";

/** Ways in which the power may fail after all this. */
const POWER_LOSSES = 3;

export interface Recovered {
  readonly machine: SimulatedMachine;
  readonly host: CrashableHost;
  readonly store: Store;
  readonly reports: readonly string[];
  readonly view: View;
}

/** To one key, another one each time. */
export async function writeToOneKey(
  { store, reports, view }: Recovered,
  timeline: Timeline,
  number: number,
): Promise<string | undefined> {
  const key = timeline.keys[number % timeline.keys.length] ?? "";
  const wrong = await writeTo(store, key, view.get(key), timeline);
  if (wrong !== undefined) return `${key}: ${wrong}`;
  const records: SessionRecord[] = [];
  for await (const record of store.session(key).records()) records.push(record);
  const appended = judgeRecords(view.get(key), records);
  if (appended !== undefined) return `${key}: ${appended}`;
  return reports.length > 0 ? `damage after an ordinary crash: ${reports.join("; ")}` : undefined;
}

/** To every key; then the process is killed, and in other worlds the power fails. */
export async function writeAfterwards(
  { machine, host, store, reports, view }: Recovered,
  workload: Workload,
  timeline: Timeline,
): Promise<string | undefined> {
  const { damage } = await store.verify();
  if (damage.length > 0) return `verify finds ${damage.map(tellDamage).join("; ")}`;
  for (const key of timeline.keys) {
    const wrong = await writeTo(store, key, view.get(key), timeline);
    if (wrong !== undefined) return `${key}: ${wrong}`;
  }
  const after = await readView(store, workload.keys);
  for (const key of timeline.keys) {
    const wrong = judgeAppended(view.get(key), after.get(key));
    if (wrong !== undefined) return `${key}: ${wrong}`;
  }
  if (reports.length > 0) return `damage after an ordinary crash: ${reports.join("; ")}`;
  host.kill();
  for (const cut of machine.capture().afterPowerLoss({ limit: POWER_LOSSES })) {
    cut.setClock(CLOCK_AFTER_CRASH);
    const wrong = await openAgain(cut, workload, after);
    if (wrong !== undefined) return `and after a power loss then, ${wrong}\n${cut.describe()}`;
  }
  const wrong = await openAgain(machine, workload, after);
  return wrong && `and after a kill then, ${wrong}`;
}

async function writeTo(
  store: Store,
  key: string,
  shown: KeyView | undefined,
  timeline: Timeline,
): Promise<string | undefined> {
  if (shown === undefined) return "it was not looked at";
  return (await repeatIds(store, key, shown, timeline)) ?? (await appendAs(store, key, shown.read?.seq ?? 0));
}

/** A retry of what is there is answered with its seq; nothing is written by it. */
async function repeatIds(
  store: Store,
  key: string,
  shown: KeyView,
  timeline: Timeline,
): Promise<string | undefined> {
  const views = timeline.viewsOf(key);
  const reached = views.findLastIndex(({ text }) => text === shown.text);
  const steps = timeline.stepsOf(key).slice(0, Math.max(0, reached));
  for (let index = steps.length - 1; index >= 0; index -= 1) {
    const step = steps[index];
    // What others cut, and where they begin anew, an id may be forgotten.
    if (step?.kind !== "append" || shown.read?.status !== "active") return undefined;
    const [before, after] = [views[index]?.read, views[index + 1]?.read];
    if (after?.id !== shown.read.id || before?.seq === after.seq) return undefined;
    if (step.id === undefined) continue;
    const { seq } = await store.session(key).append(bodyOf(step.contents), { id: step.id });
    if (seq !== after.seq)
      return `the id ${step.id}, repeated, is answered with ${seq} instead of ${after.seq}`;
    const now = (await store.session(key).state())?.seq;
    if (now !== shown.read.seq) return `the id ${step.id}, repeated, was written again as ${now}`;
  }
  return undefined;
}

async function appendAs(store: Store, key: string, seq: number): Promise<string | undefined> {
  const session = store.session(key);
  const refused = await session
    .append(user("too early"), { expectedSeq: seq + 1 })
    .catch((error: unknown) => error);
  if (!isLonghandError(refused, "SEQ_CONFLICT"))
    return `expectedSeq ${seq + 1} where the seq is ${seq} gave ${JSON.stringify(refused)}`;
  const written = await session.append(user("after the crash"), { expectedSeq: seq });
  return written.seq === seq + 1 ? undefined : `an append to ${seq} was answered with ${written.seq}`;
}

/** Whether what the key reads is what was there, and the one message more. */
function judgeRecords(before: KeyView | undefined, records: readonly SessionRecord[]): string | undefined {
  const last = records.at(-1);
  const isThere = last !== undefined && last.op === undefined && last.message.content === "after the crash";
  if (!isThere || last.seq !== (before?.read?.seq ?? 0) + 1)
    return "an append after recovery is not read back";
  if (JSON.stringify(records.slice(0, -1)) !== JSON.stringify(before?.records))
    return "an append after recovery changes what was there";
  return undefined;
}

function judgeAppended(before: KeyView | undefined, after: KeyView | undefined): string | undefined {
  const wrong = judgeRecords(before, after?.records ?? []);
  if (wrong !== undefined) return wrong;
  const others = [...(before?.sessions ?? [])].filter(([id]) => id !== before?.read?.id);
  const gone = others.find(([id, { text }]) => after?.sessions.get(id)?.text !== text);
  return gone && `an append after recovery changes session ${gone[0]}`;
}

async function openAgain(
  machine: SimulatedMachine,
  workload: Workload,
  expected: View,
): Promise<string | undefined> {
  const host = machine.startProcess();
  const { store, reports } = await openOn(host, workload);
  const view = await readView(store, workload.keys);
  host.kill();
  if (reports.length > 0) return `damage is reported: ${reports.join("; ")}`;
  const difference = differenceOf(expected, view);
  return difference && `something else is there: ${difference}`;
}
