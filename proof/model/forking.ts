/**
 * Fork: the child's file under a temporary name, its stub; links to the parent's files in a directory of the child's own;
 * the child's name; the answer.
 */

import {
  activeName,
  changeNames,
  newFile,
  SEALED_NAMES,
  sealedName,
  segmentsOf,
  SESSION_NAMES,
  stubName,
} from "./disk.ts";
import { readable } from "./history.ts";
import { stepChangeNames, stepSyncNames } from "./name-steps.ts";
import { ACTIVE, at, NONE, type ChainLink, type State, type Task } from "./state.ts";
import type { Actor } from "./step.ts";
import { isDrained, setTask } from "./tasks.ts";

/** Under the leases of both keys; the parent is landed and synced. */
export function beginForks(actor: Actor): void {
  const { state, world, index } = actor;
  if (state.left.forks === 0 || state.sessions.length >= world.bounds.sessions) return;
  const { tenures } = at(state.instances, index);
  for (const [key, tenure] of tenures.entries()) {
    if (tenure === undefined || !isDrained(actor, key, tenure)) continue;
    const { chain } = at(state.files, tenure.file);
    const records = chain.reduce((sum, { cells }) => sum + cells, tenure.next);
    for (let child = 0; child < world.bounds.keys; child++) {
      const isFree = tenures[child] === undefined && state.names[activeName(child)] === NONE;
      if (child === key || !isFree || state.leases[child] !== index) continue;
      for (let count = 1; count <= records; count++) beginFork(actor, key, child, count);
    }
  }
}

function beginFork(
  { state, world, index, name, step }: Actor,
  key: number,
  child: number,
  count: number,
): void {
  const tenure = at(state.instances, index).tenures[key];
  if (tenure === undefined) return;
  const parent = at(state.files, tenure.file);
  const chain = bounded([...parent.chain, { number: parent.number, cells: tenure.next }], count);
  const last = chain.at(-1)?.number ?? NONE;
  if (last >= SEALED_NAMES) return;
  const session = state.sessions.length;
  const history = readable(state, world, parent, [
    ...parent.cells.slice(0, tenure.synced),
    ...tenure.waiting,
  ]);
  const inherited = history.slice(0, count);
  // In the middle of a batch nobody can fork.
  if (state.issued[(inherited.at(-1) ?? 0) - 1]?.goesOn === true) return;
  step(`${name} forks session ${tenure.session} at its record ${count}: makes a stub`, (next) => {
    next.left.forks--;
    next.sessions.push({ key: child, inherited, places: 1 << ACTIVE, forked: 0, stubOf: index });
    next.files.push(newFile(session, last + 1, chain));
    changeNames(next, SESSION_NAMES, [[stubName(world, session), next.files.length - 1]]);
    setTask(next, index, { kind: "fork", key: child, phase: 0, session, to: key });
  });
}

/** Sealed files are shared whole; the last one counts as far as it is meant to. */
function bounded(links: readonly ChainLink[], count: number): ChainLink[] {
  const chain: ChainLink[] = [];
  let rest = count;
  for (const { number, cells } of links) {
    if (rest <= 0) break;
    chain.push({ number, cells: Math.min(cells, rest) });
    rest -= cells;
  }
  return chain;
}

export function forkSteps(actor: Actor, task: Task): void {
  const { state, world, index, name } = actor;
  const { session, phase, key } = task;
  const { forkSyncsName, forkedNamesSynced } = world.rules;
  const move = (next: State, to: number): void => setTask(next, index, { ...task, phase: to });
  const stub = stubName(world, session);
  if (phase === 0)
    stepSyncNames(actor, `of the stub of fork ${session}`, SESSION_NAMES, (next) => move(next, 1));
  if (phase === 1)
    stepChangeNames(actor, `${name} links the files that fork ${session} shares`, (next) => {
      shareFiles(next, actor, task);
      move(next, forkedNamesSynced ? 2 : 3);
    });
  if (phase === 2)
    stepSyncNames(actor, `of the files that fork ${session} shares`, segmentsOf(session), (next) =>
      move(next, 3),
    );
  if (phase === 3)
    stepChangeNames(actor, `${name} gives fork ${session} its name`, (next) => {
      changeNames(next, SESSION_NAMES, [[activeName(key), at(state.names, stub)]]);
      move(next, forkSyncsName ? 4 : 5);
    });
  if (phase === 4)
    stepSyncNames(actor, `of the name of fork ${session}`, SESSION_NAMES, (next) => move(next, 5));
  if (phase === 5)
    stepChangeNames(
      actor,
      `${name} removes the stub, and answers that key ${key} has the fork ${session}`,
      (next) => {
        changeNames(next, SESSION_NAMES, [[stub, NONE]]);
        at(next.sessions, session).forked = 1;
        at(next.sessions, session).stubOf = NONE;
        setTask(next, index, undefined);
      },
    );
}

function shareFiles(next: State, { state, world, index }: Actor, { session, to: parentKey }: Task): void {
  const tenure = at(state.instances, index).tenures[parentKey];
  const child = at(next.files, at(next.names, stubName(world, session)));
  if (tenure === undefined) return;
  for (const { number } of child.chain) {
    const isActive = number === at(state.files, tenure.file).number;
    const shared = isActive ? tenure.file : at(next.names, sealedName(world, tenure.session, number));
    changeNames(next, segmentsOf(session), [[sealedName(world, session, number), shared]]);
  }
}
