/** A journal: a head in two copies, then blocks. What a reader accepts of it, and what it would call corruption. */

import { findFile } from "./disk.ts";
import { firstSlotOf, slotsOfGeneration } from "./halves.ts";
import {
  at,
  GARBAGE,
  isAlive,
  FAILED,
  DEAD,
  NONE,
  RUNNING,
  type Block,
  type Entry,
  type Journal,
  type ReplayOf,
  type Slot,
  type State,
} from "./state.ts";
import type { World } from "./worlds.ts";

const SLOTS_DOOMED = 4;

/** A copy is written over the older one, so that one that counts is always there. */
function copyFor(world: World, generation: number): number {
  return world.rules.headHasTwoCopies ? generation % 2 : 1;
}

export function writeHead(world: World, journal: Journal, generation: number): void {
  const copy = copyFor(world, generation);
  journal.heads[copy] = generation;
  journal.doomed &= ~(1 << copy);
}

/** 0: neither copy is readable. */
export function generationOf(journal: Journal): number {
  return Math.max(0, at(journal.heads, 0), at(journal.heads, 1));
}

export function writeBlock(journal: Journal, from: number, block: Block): void {
  journal.slots[from] = block;
  for (let index = 1; index < block.size; index++) journal.slots[from + index] = { endOf: block };
}

/** Only a part of it: the slot with this index, of those of the block, is ruined. */
export function tearBlock(journal: Journal, from: number, index: number): void {
  journal.slots[from + index] = GARBAGE;
}

export function syncJournal(journal: Journal): void {
  for (const copy of [0, 1])
    if ((journal.doomed & (1 << copy)) === 0) journal.durableHeads[copy] = at(journal.heads, copy);
  if ((journal.doomed & SLOTS_DOOMED) !== 0) return;
  for (const [index, slot] of journal.slots.entries()) journal.durableSlots[index] = slot;
}

export function failJournalSync(journal: Journal): void {
  for (const copy of [0, 1])
    if (journal.heads[copy] !== journal.durableHeads[copy]) journal.doomed |= 1 << copy;
  if (journal.slots.some((slot, index) => slot !== journal.durableSlots[index]))
    journal.doomed |= SLOTS_DOOMED;
}

/** A durable copy of what is seen takes its place, by one rename: until then it is as it was. */
export function renewJournal(journal: Journal): void {
  journal.doomed = 0;
  syncJournal(journal);
}

/** Its bytes are gone once neither the seen nor the durable directory names it. */
export function forgetIfGone(journal: Journal): void {
  if (journal.named === 1 || journal.durablyNamed === 1) return;
  journal.slots.fill(0);
  journal.durableSlots.fill(0);
  journal.heads.fill(0);
  journal.durableHeads.fill(0);
  journal.doomed = 0;
}

export function isBlock(slot: Slot | undefined): slot is Block {
  return typeof slot === "object" && "entries" in slot;
}

/** The block that begins there, if it is whole. */
function blockAt(journal: Journal, start: number): Block | undefined {
  const block = journal.slots[start];
  if (!isBlock(block)) return undefined;
  for (let index = 1; index < block.size; index++) {
    const slot = journal.slots[start + index];
    if (typeof slot !== "object" || isBlock(slot) || slot.endOf !== block) return undefined;
  }
  return block;
}

export interface JournalContents {
  readonly blocks: readonly Block[];
  /** What replay would call corruption. */
  readonly alarm: string;
}

export function readJournal(world: World, journal: Journal): JournalContents {
  const named = generationOf(journal);
  const isEmpty = journal.slots.every((slot) => slot === 0);
  if (named === 0) return { blocks: [], alarm: isEmpty ? "" : "neither copy of the head is readable" };
  const newest = readGeneration(world, journal, named);
  if (!world.bounds.halves) return newest;
  const older = world.rules.replayReadsBothHalves ? readGeneration(world, journal, named - 1) : undefined;
  const parts = world.rules.halvesInOrder ? [older, newest] : [newest, older];
  return {
    blocks: parts.flatMap((part) => part?.blocks ?? []),
    alarm: (older?.alarm ?? "") || newest.alarm,
  };
}

/** The blocks of one generation, where it lies. */
function readGeneration(world: World, journal: Journal, named: number): JournalContents {
  const { blocksNameGeneration } = world.rules;
  const start = firstSlotOf(world, named);
  const end = start + slotsOfGeneration(world);
  const first = blockAt(journal, start);
  const isOlder = blocksNameGeneration && first !== undefined && first.generation > named;
  const generation = isOlder ? first.generation : named;
  const counts = (block: Block): boolean => !blocksNameGeneration || block.generation === generation;
  const blocks: Block[] = [];
  let position = start;
  while (position < end) {
    const block = blockAt(journal, position);
    if (block === undefined || block.number !== blocks.length + 1 || !counts(block)) break;
    blocks.push(block);
    position += block.size;
  }
  if (isOlder) return { blocks, alarm: "its head is older than its blocks" };
  for (let later = position; later < end; later++) {
    const block = blockAt(journal, later);
    if (block !== undefined && counts(block) && block.number > blocks.length + 1)
      return { blocks, alarm: `block ${blocks.length + 1} is damaged, block ${block.number} is not` };
  }
  return { blocks, alarm: "" };
}

/** What replay of a journal is to do: the records of each session, in order. */
export function replayOf(state: State, world: World, dead: number): readonly ReplayOf[] {
  const plan = new Map<number, Entry[]>();
  for (const { entries } of readJournal(world, at(state.journals, dead)).blocks) {
    for (const entry of entries) {
      const session = world.rules.recordsNameIds ? entry.session : sessionOfKey(state, entry);
      const own = plan.get(session);
      if (own === undefined) plan.set(session, [entry]);
      else own.push(entry);
    }
  }
  return [...plan].map(([session, entries]) => ({ session, entries }));
}

function sessionOfKey(state: State, { key, session }: Entry): number {
  const active = at(state.names, key);
  return active === NONE ? session : at(state.files, active).session;
}

/** Those that belong in this file; those of a sealed one were in it, and synced, before that. */
export function entriesFor(world: World, entries: readonly Entry[], number: number): readonly Entry[] {
  return world.rules.recordsNameFiles ? entries.filter(({ file }) => file === number) : entries;
}

/** Is its death proven, so that it may be taken over? */
export function countsAsDead(state: State, world: World, index: number): boolean {
  const { onlyTheDead, failedDeclaresItself } = world.rules;
  const { status } = at(state.instances, index);
  if (status === DEAD || state.mistaken[index] === 1 || seemsDead(state, world, index)) return true;
  return (status === FAILED && failedDeclaresItself) || (!onlyTheDead && status === RUNNING);
}

/** A living instance whose mark is missing, where that alone is taken for death. */
function seemsDead(state: State, world: World, index: number): boolean {
  if (!world.bounds.aliveMark || world.rules.absenceIsNoProof) return false;
  return isAlive(at(state.instances, index).status) && state.fences[index] === 1;
}

/** What dead instances have left, journal by journal; those of failed ones that have not said so yet included. */
export function deadPlans(state: State, world: World): (readonly ReplayOf[])[] {
  const plans: (readonly ReplayOf[])[] = [];
  for (const [index, journal] of state.journals.entries()) {
    if (journal.named === 0) continue;
    const isDead = countsAsDead(state, world, index) || state.instances[index]?.status === FAILED;
    if (isDead) plans.push(replayOf(state, world, index));
  }
  return plans;
}

/** The instance that lives, rightly, and holds this session's file open. */
export function ownerOf(state: State, world: World, session: number): number {
  const file = findFile(state, world, session);
  for (const [index, { status, tenures }] of state.instances.entries()) {
    if (!isAlive(status) || state.mistaken[index] === 1) continue;
    if (tenures.some((tenure) => tenure?.session === session && (tenure.file === file || file === NONE)))
      return index;
  }
  return NONE;
}
