/**
 * 64 bits of a state. Every field goes in, numbers of lists too, so that two states that differ have different
 * fingerprints but for a chance of about one in 10^19 a pair. A test compares it with a complete description in text.
 */

import { isBlock } from "./journal.ts";
import type { Entry, NameChange, Reading, ReplayOf, SessionFile, Slot, State, Tenure } from "./state.ts";

let low = 0;
let high = 0;

function add(value: number): void {
  low = Math.imul(low ^ (value + 0x9e37), 0x85ebca6b);
  low ^= low >>> 13;
  high = Math.imul(high ^ (value + 0x79b9), 0xc2b2ae35);
  high ^= high >>> 15;
}

function addAll(values: readonly number[]): void {
  add(values.length);
  for (const value of values) add(value);
}

const PHASES = [
  "read",
  "copy",
  "names",
  "seek",
  "make",
  "cut",
  "land",
  "sync",
  "empty",
  "emptied",
  "empty other",
  "emptied other",
  "unlink",
  "gate",
];
const TASKS = ["take", "release", "seal", "move", "purge", "fork", "close"];
const STAGES = ["written", "synced", "looked"];
const NOTHING = -9;

/** The two halves are in `fingerprint.low` and `fingerprint.high` until the next call: no garbage for millions of calls. */
export const fingerprint = { low: 0, high: 0 };

export function takeFingerprint(state: State): void {
  low = 0x811c9dc5;
  high = 0x2545f491;
  addAll(state.names);
  addAll(state.durableNames);
  add(state.nameChanges.length);
  for (const change of state.nameChanges) addNameChange(change);
  add(state.files.length);
  for (const file of state.files) addFile(file);
  add(state.sessions.length);
  for (const { key, inherited, places, forked, stubOf } of state.sessions) {
    add(key);
    addAll(inherited);
    add(places);
    add(forked * 8 + stubOf);
  }
  for (const { named, durablyNamed, heads, durableHeads, slots, durableSlots, doomed } of state.journals) {
    add(named);
    add(durablyNamed);
    addAll(heads);
    addAll(durableHeads);
    for (const slot of slots) addSlot(slot);
    for (const [index, slot] of durableSlots.entries())
      if (slot === slots[index]) add(NOTHING);
      else addSlot(slot);
    add(doomed);
  }
  addAll(state.leases);
  addInstances(state);
  addAll(state.locks);
  addAll(state.fences);
  addAll(state.gates);
  addAll(state.mistaken);
  addReading(state.reading);
  add(state.issued.length);
  for (const { session, after, goesOn } of state.issued) add(session * 64 + after * 2 + (goesOn ? 1 : 0));
  add(state.acknowledged);
  add(state.returned);
  add(state.refused);
  add(state.aside);
  add(state.excused);
  add(state.violation.length);
  for (const value of Object.values(state.left)) add(Number(value));
  fingerprint.low = mix(low);
  fingerprint.high = mix(high);
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function addNameChange({ directory, edits, doomed }: NameChange): void {
  add(directory);
  add(doomed ? 1 : 0);
  add(edits.length);
  for (const [name, file] of edits) add(name * 64 + file);
}

function addFile({ header, session, number, chain, cells, durable, marks }: SessionFile): void {
  add(header * 64 + session);
  add(number);
  add(chain.length);
  for (const link of chain) add(link.number * 64 + link.cells);
  addAll(cells);
  addAll(durable);
  addAll(marks);
}

function addSlot(slot: Slot): void {
  if (typeof slot === "number") {
    add(slot);
    return;
  }
  const block = isBlock(slot) ? slot : slot.endOf;
  add(isBlock(slot) ? 1000 : 2000);
  add(block.generation);
  add(block.number);
  add(block.size);
  addEntries(block.entries);
}

function addEntries(entries: readonly Entry[]): void {
  add(entries.length);
  for (const { key, session, file, offset, records, creates } of entries) {
    add(key * 64 + session + (creates ? 4096 : 0));
    add(file * 64 + offset);
    addAll(records);
  }
}

function addInstances({ instances }: State): void {
  for (const instance of instances) {
    add(instance.status);
    add(instance.generation);
    add(instance.nextBlock);
    add(instance.nextSlot);
    add(instance.owesOldNames * 256 + instance.owesNames * 128 + instance.looked * 64 + instance.stopped);
    for (const tenure of instance.tenures) addTenure(tenure);
    for (const tenure of instance.remembered) addTenure(tenure);
    const { commit, task, adoption } = instance;
    add(commit === undefined ? NOTHING : STAGES.indexOf(commit.stage) * 8 + commit.blocks);
    if (commit !== undefined) addEntries(commit.entries);
    add(task === undefined ? NOTHING : TASKS.indexOf(task.kind) * 8 + task.phase);
    if (task !== undefined) addAll([task.key, task.session, task.to]);
    add(adoption === undefined ? NOTHING : PHASES.indexOf(adoption.phase) * 32 + adoption.dead);
    if (adoption !== undefined) {
      add(adoption.at * 16 + adoption.generation);
      addPlan(adoption.plan);
    }
  }
}

function addTenure(tenure: Tenure | undefined): void {
  if (tenure === undefined) {
    add(NOTHING);
    return;
  }
  add(tenure.session);
  add(tenure.file);
  add(tenure.ready);
  add(tenure.synced);
  add(tenure.next);
  add(tenure.last);
  addAll(tenure.waiting);
  add(tenure.landed);
  add(tenure.made);
  add(tenure.old * 64 + tenure.syncing);
}

function addPlan(plan: readonly ReplayOf[]): void {
  add(plan.length);
  for (const { session, entries } of plan) {
    add(session);
    addEntries(entries);
  }
}

function addReading(reading: Reading | undefined): void {
  if (reading === undefined) {
    add(NOTHING);
    return;
  }
  add(reading.owed);
  add(reading.plans?.length ?? NOTHING);
  for (const plan of reading.plans ?? []) addPlan(plan);
  add(reading.cells?.length ?? NOTHING);
  for (const cells of reading.cells ?? []) {
    add(cells?.[0] ?? NOTHING);
    addAll(cells?.[1] ?? []);
  }
}
