/** Everything that is not synced is kept, lost or ruined, each piece for itself, in every combination. */

import { forgetIfGone } from "./journal.ts";
import {
  at,
  CLEAN,
  cloneState,
  DEAD,
  DIRTY,
  endInstance,
  GARBAGE,
  HEADER_DURABLE,
  HEADER_SEEN,
  HOLE,
  NONE,
  UNBORN,
  type SessionFile,
  type Slot,
  type State,
  WHOLE_HEADER,
} from "./state.ts";

/** One piece of the disk: what may become of it. */
type Outcomes = readonly ((next: State) => void)[];

/** One of them, each piece by chance; `below` answers with a number below the one it is given. */
export function somePowerLoss(state: State, below: (limit: number) => number): State {
  const chosen = piecesOf(state).map((outcomes) => at(outcomes, below(outcomes.length)));
  return afterPowerLoss(state, chosen);
}

/** All of them. */
export function powerLosses(state: State, emit: (next: State) => void): void {
  const pieces = piecesOf(state);
  const choose = (piece: number, chosen: Outcomes): void => {
    const outcomes = pieces[piece];
    if (outcomes === undefined) {
      emit(afterPowerLoss(state, chosen));
      return;
    }
    for (const outcome of outcomes) choose(piece + 1, [...chosen, outcome]);
  };
  choose(0, []);
}

function piecesOf(state: State): Outcomes[] {
  return [...filePieces(state), namePiece(state), ...journalPieces(state)];
}

function afterPowerLoss(state: State, outcomes: Outcomes): State {
  const next = cloneState(state);
  next.left.powerLosses--;
  for (const outcome of outcomes) outcome(next);
  next.reading = undefined;
  for (const [index, journal] of next.journals.entries()) {
    journal.doomed = 0;
    forgetIfGone(journal);
    if (at(next.instances, index).status !== UNBORN) endInstance(next, index, DEAD);
  }
  // They are not synced. All are lost: whoever opens takes over every dead journal before it looks at one.
  next.leases.fill(NONE);
  return next;
}

function filePieces(state: State): Outcomes[] {
  const pieces: Outcomes[] = [];
  for (const [index, file] of state.files.entries()) {
    const contents = survivingContents(file);
    const headers = survivingHeaders(file);
    const isSettled = file.marks.every((mark) => mark === CLEAN) && headers[0] === file.header;
    if (contents.length === 1 && headers.length === 1 && isSettled) continue;
    const outcomes = headers.flatMap((header) => contents.map((cells) => ({ header, cells })));
    pieces.push(
      outcomes.map(({ header, cells }) => (next: State) => {
        const { session, number, chain } = file;
        const marks = cells.map(() => CLEAN);
        next.files[index] = { header, session, number, chain, cells: [...cells], durable: [...cells], marks };
      }),
    );
  }
  return pieces;
}

function survivingHeaders({ header }: SessionFile): number[] {
  if ((header & HEADER_DURABLE) !== 0) return [WHOLE_HEADER];
  return (header & HEADER_SEEN) === 0 ? [0] : [0, WHOLE_HEADER];
}

/** Every length from the shorter to the longer, with each cell as before, as after, or a hole. */
function survivingContents({ cells, durable, marks }: SessionFile): readonly (readonly number[])[] {
  const distinct = new Map<string, readonly number[]>();
  const shortest = Math.min(cells.length, durable.length);
  const longest = Math.max(cells.length, durable.length);
  for (let length = shortest; length <= longest; length++) {
    let contents: number[][] = [[]];
    for (let place = 0; place < length; place++) {
      const choices = cellOutcomes(cells[place], durable[place], marks[place]);
      contents = contents.flatMap((before) => choices.map((cell) => [...before, cell]));
    }
    for (const content of contents) distinct.set(content.join(), content);
  }
  return [...distinct.values()];
}

function cellOutcomes(
  seen: number | undefined,
  durable: number | undefined,
  mark: number | undefined,
): number[] {
  const isKept = mark === CLEAN || (mark === DIRTY && seen === durable);
  if (seen !== undefined && durable !== undefined && isKept) return [seen];
  const choices = new Set([HOLE]);
  if (seen !== undefined) choices.add(seen);
  if (durable !== undefined) choices.add(durable);
  return [...choices];
}

function namePiece({ nameChanges, durableNames }: State): Outcomes {
  const distinct = new Map<string, number[]>();
  for (let subset = 0; subset < 1 << nameChanges.length; subset++) {
    const names = [...durableNames];
    for (const [index, { edits }] of nameChanges.entries())
      if ((subset & (1 << index)) !== 0) for (const [name, file] of edits) names[name] = file;
    distinct.set(names.join(), names);
  }
  return [...distinct.values()].map((names) => (next: State) => {
    next.names = [...names];
    next.durableNames = [...names];
    next.nameChanges = [];
  });
}

function journalPieces(state: State): Outcomes[] {
  const pieces: Outcomes[] = [];
  for (const [
    index,
    { named, durablyNamed, heads, durableHeads, slots, durableSlots },
  ] of state.journals.entries()) {
    if (named !== durablyNamed)
      pieces.push(
        [0, 1].map((isNamed) => (next: State) => {
          at(next.journals, index).named = isNamed;
          at(next.journals, index).durablyNamed = isNamed;
        }),
      );
    for (const [copy, head] of heads.entries()) {
      const durable = at(durableHeads, copy);
      if (head === durable) continue;
      pieces.push(
        [head, durable, GARBAGE].map((found) => (next: State) => {
          at(next.journals, index).heads[copy] = found;
          at(next.journals, index).durableHeads[copy] = found;
        }),
      );
    }
    for (const [place, slot] of slots.entries()) {
      const durable = at(durableSlots, place);
      if (slot === durable) continue;
      const choices: Slot[] = [...new Set<Slot>([slot, durable, GARBAGE])];
      pieces.push(
        choices.map((found) => (next: State) => {
          at(next.journals, index).slots[place] = found;
          at(next.journals, index).durableSlots[place] = found;
        }),
      );
    }
  }
  return pieces;
}
