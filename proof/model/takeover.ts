/** Takeover of a dead instance, step by step; killed at any of them, the next one begins again at the first. */

import { abandon, moveTo } from "./adoption.ts";
import { removeJournal } from "./closing.ts";
import { fileForReplay, writeHeader } from "./creation.ts";
import {
  cutCells,
  failFileSync,
  noteName,
  SESSION_NAMES,
  syncFile,
  syncNames,
  writeCells,
  writeCellsShort,
} from "./disk.ts";
import {
  countsAsDead,
  entriesFor,
  failJournalSync,
  generationOf,
  replayOf,
  syncJournal,
  writeHead,
  renewJournal,
} from "./journal.ts";
import { freeLeases } from "./leases.ts";
import { fits, isKept } from "./put-back.ts";
import { replayMaking, syncReplayedNames } from "./replay-making.ts";
import {
  at,
  DEAD,
  endInstance,
  HEADER_SEEN,
  HOLE,
  letterOf,
  NONE,
  type Adoption,
  type Entry,
  type SessionFile,
  type State,
} from "./state.ts";
import type { Actor } from "./step.ts";

/** Of every dead instance that this one may meet now. */
export function beginAdoptions({ state, world, index, name, step }: Actor): void {
  const { adoptionLock, fenceFirst, gateFirst, openerAdoptsFirst } = world.rules;
  for (let dead = 0; dead < state.instances.length; dead++) {
    if (dead === index || !countsAsDead(state, world, dead)) continue;
    if (state.journals[dead]?.named === 0) continue;
    // With the rule off it is met only through a lease.
    if (!openerAdoptsFirst && !state.leases.includes(dead)) continue;
    const holder = at(state.locks, dead);
    if (adoptionLock && holder !== NONE && !countsAsDead(state, world, holder)) continue;
    step(`${name} locks the adoption of ${letterOf(dead)}`, (next) => {
      if (world.rules.recovererFenced && holder !== NONE && next.mistaken[holder] === 1) {
        next.fences[holder] = 1;
        next.gates[holder] = 1;
      }
      next.locks[dead] = index;
      if (fenceFirst && next.mistaken[dead] === 1) next.fences[dead] = 1;
      // One that is dead changes no name any more: its gate says nothing.
      const phase = gateFirst && next.mistaken[dead] === 1 ? "gate" : "read";
      at(next.instances, index).adoption = { dead, phase, plan: [], at: 0, generation: 0 };
    });
  }
}

export function adoptionSteps(actor: Actor, adoption: Adoption): void {
  const { phase } = adoption;
  switch (phase) {
    case "gate":
      gateStep(actor, adoption);
      break;
    case "read":
      readSteps(actor, adoption);
      break;
    case "copy":
      copyStep(actor, adoption);
      break;
    case "names":
      namesSteps(actor, adoption);
      break;
    case "seek":
    case "make":
    case "cut":
    case "land":
    case "sync":
      replaySteps(actor, adoption);
      break;
    case "empty":
    case "emptied":
    case "empty other":
    case "emptied other":
      emptySteps(actor, adoption);
      break;
    case "unlink":
      unlinkStep(actor, adoption);
      break;
  }
}

function gateStep({ index, name, step }: Actor, { dead }: Adoption): void {
  step(`${name} removes the gate of ${letterOf(dead)}`, (next) => {
    if (next.mistaken[dead] === 1) next.gates[dead] = 1;
    moveTo(next, index, { phase: "read" });
  });
}

function readSteps({ state, world, index, name, step }: Actor, { dead }: Adoption): void {
  const { deadJournalSynced, leasesFreeLast, adoptionIsWhole, adoptionSyncsNames } = world.rules;
  const victim = letterOf(dead);
  step(`${name} ${deadJournalSynced ? "syncs and " : ""}reads ${victim}'s journal`, (next) => {
    const isThere = next.journals[dead]?.named === 1;
    if (deadJournalSynced && isThere) syncJournal(at(next.journals, dead));
    if (!leasesFreeLast) freeLeases(next, dead);
    const plan = isThere ? replayOf(next, world, dead) : [];
    const after = adoptionSyncsNames ? "names" : isThere ? firstPhase(world, plan.length) : "unlink";
    // Where no sync has failed, a copy of it is the same.
    const isOwed = world.rules.deadJournalCopied && next.journals[dead]?.doomed !== 0;
    const phase = isOwed ? "copy" : after;
    const generation = generationOf(at(next.journals, dead));
    moveTo(next, index, { plan: adoptionIsWhole ? plan : plan.slice(0, 1), phase, generation });
  });
  if (state.left.failedSyncs > 0 && deadJournalSynced)
    step(
      `${name}: the sync of ${victim}'s journal fails`,
      (next) => {
        next.left.failedSyncs--;
        failJournalSync(at(next.journals, dead));
        abandon(next, index, dead);
      },
      "fault",
    );
}

function copyStep({ world, index, name, step }: Actor, { dead, plan }: Adoption): void {
  step(`${name} replaces ${letterOf(dead)}'s journal by a durable copy of it`, (next) => {
    renewJournal(at(next.journals, dead));
    moveTo(next, index, { phase: world.rules.adoptionSyncsNames ? "names" : firstPhase(world, plan.length) });
  });
}

/** The first step of the next session, or of what follows the last one. */
function firstPhase({ rules }: Actor["world"], sessionsLeft: number): Adoption["phase"] {
  if (sessionsLeft > 0) return rules.replayCutsNothing ? "land" : "cut";
  return rules.emptiedFirst && rules.adoptionIsWhole ? "empty" : "unlink";
}

function namesSteps({ state, world, index, name, step }: Actor, { dead, plan }: Adoption): void {
  step(`${name} syncs the names that ${letterOf(dead)} may have changed`, (next) => {
    syncNames(next, SESSION_NAMES);
    const isThere = next.journals[dead]?.named === 1;
    moveTo(next, index, { phase: isThere ? firstPhase(world, plan.length) : "unlink" });
  });
  if (state.left.failedDirectorySyncs > 0)
    step(
      `${name}: the sync of the names that ${letterOf(dead)} may have changed fails`,
      (next) => {
        next.left.failedDirectorySyncs--;
        abandon(next, index, dead);
      },
      "fault",
    );
}

function replaySteps(actor: Actor, adoption: Adoption): void {
  const { state, world, index, name, step } = actor;
  const { dead, plan, phase, at: current } = adoption;
  const { session, entries } = at(plan, current);
  const found = fileForReplay(state, world, session, entries);
  const onwards = (next: State): void =>
    moveTo(next, index, { at: current + 1, phase: firstPhase(world, plan.length - current - 1) });
  if (replayMaking(actor, adoption, found, onwards)) return;
  if (found === NONE) {
    const isNoted = state.names[noteName(world, session)] !== NONE;
    if (isNoted) step(`${name} finds that session ${session} was removed for good`, onwards);
    else
      step(`${name} finds no file of session ${session}`, (next) => {
        next.violation = `replay finds no file of session ${session}, and no note that it was removed`;
      });
    return;
  }
  const { number } = at(state.files, found);
  if (entries.some(({ file }) => file > number) && world.rules.recordsNameFiles) {
    step(`${name} finds records of session ${session} that have no place`, (next) => {
      next.violation = `records of session ${session} are for a file after the one that is there`;
    });
    return;
  }
  const own = entriesFor(world, entries, number);
  const text = `[${own.flatMap(({ records }) => records).join()}] of ${letterOf(dead)}'s journal`;
  if (phase === "cut")
    step(`${name} cuts session ${session} where ${letterOf(dead)}'s records begin`, (next) => {
      cutCells(at(next.files, found), Math.min(...own.map(({ offset }) => offset)));
      moveTo(next, index, { phase: "land" });
    });
  if (phase === "land") {
    step(`${name} lands ${text} in session ${session}`, (next) => {
      completeHeader(actor, at(next.files, found));
      landAll(actor, next, at(next.files, found), own, writeCells);
      if (world.rules.adoptionSyncsFiles) moveTo(next, index, { phase: "sync" });
      else onwards(next);
    });
    if (state.left.kills > 0 && own.length > 0)
      step(
        `${name} is killed while it lands ${text} in session ${session}`,
        (next) => {
          next.left.kills--;
          completeHeader(actor, at(next.files, found));
          landAll(actor, next, at(next.files, found), own, writeCellsShort);
          endInstance(next, index, DEAD);
        },
        "fault",
      );
  }
  if (phase === "sync") {
    step(`${name} syncs session ${session}`, (next) => {
      syncFile(at(next.files, found));
      if (world.rules.replayLooksAgain && !isKept(next, at(next.files, found).cells, own))
        moveTo(next, index, { phase: "land" });
      else onwards(next);
    });
    if (state.left.failedSyncs > 0)
      step(
        `${name}: the sync of session ${session} fails`,
        (next) => {
          next.left.failedSyncs--;
          failFileSync(at(next.files, found));
          if (world.rules.rewriteAfterFailedSync) abandon(next, index, dead);
        },
        "fault",
      );
  }
}

/** One that a failed sync may have lost is written again. */
function completeHeader({ world }: Actor, file: SessionFile): void {
  if (world.bounds.journaledCreates && (world.rules.rewriteHeader || (file.header & HEADER_SEEN) === 0))
    writeHeader(file);
}

/** `last`: how the last of them is written. */
function landAll(
  { world }: Actor,
  next: State,
  file: SessionFile,
  entries: readonly Entry[],
  last: typeof writeCells,
): void {
  for (const [index, { offset, records }] of entries.entries()) {
    const isLater = file.cells.some((cell, place) => place >= offset && cell !== HOLE);
    if (!world.rules.replaySkipsNothing && isLater) continue;
    if (!fits(next, world, file.cells, { offset, records })) {
      for (const record of records) next.aside |= 1 << record;
      continue;
    }
    (index === entries.length - 1 ? last : writeCells)(file, offset, records);
  }
}

/** One copy of the head after the other, so that one that counts is always there. */
function emptySteps(actor: Actor, { dead, phase, generation }: Adoption): void {
  const { state, world, index, name, step } = actor;
  const { emptiedInBothCopies } = world.rules;
  const victim = letterOf(dead);
  if (phase === "empty" && syncReplayedNames(actor, dead)) return;
  if (phase === "empty" || phase === "empty other") {
    const ahead = phase === "empty other" ? 4 : emptiedInBothCopies ? 3 : 1;
    step(`${name} writes an empty generation into the head of ${victim}'s journal`, (next) => {
      if (generation > 0) writeHead(world, at(next.journals, dead), generation + ahead);
      moveTo(next, index, { phase: phase === "empty" ? "emptied" : "emptied other" });
    });
    return;
  }
  const isDone = phase === "emptied other" || !emptiedInBothCopies;
  step(`${name} syncs ${victim}'s journal: it is empty`, (next) => {
    syncJournal(at(next.journals, dead));
    moveTo(next, index, { phase: isDone ? "unlink" : "empty other" });
  });
  if (state.left.failedSyncs > 0)
    step(
      `${name}: the sync of ${victim}'s empty journal fails`,
      (next) => {
        next.left.failedSyncs--;
        failJournalSync(at(next.journals, dead));
        abandon(next, index, dead);
      },
      "fault",
    );
}

function unlinkStep({ world, index, name, step }: Actor, { dead, plan }: Adoption): void {
  const isWhole = world.rules.adoptionIsWhole || plan.length === 0;
  step(
    `${name} ${isWhole ? "removes" : "leaves"} ${letterOf(dead)}'s journal: its leases are free`,
    (next) => {
      if (next.mistaken[dead] === 1) {
        next.fences[dead] = 1;
        next.gates[dead] = 1;
      }
      if (isWhole) removeJournal(next, dead);
      else freeLeases(next, dead);
      abandon(next, index, dead);
    },
  );
}
