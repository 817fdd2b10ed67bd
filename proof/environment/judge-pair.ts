/** Two processes, each in its environment: whether the one may take the other for dead, and what becomes of it. */

import { findOwners, isLonghandError, jsonlBackend, openStore, type Store } from "@longhand/store";
import type { CrashableHost, Host, SimulatedMachine } from "@longhand/store/testing";
import { Violation } from "../part.ts";
import {
  isDead,
  isPlain,
  meet,
  type AskerSide,
  type OwnerSide,
  type OwnerState,
  type Place,
} from "./sides.ts";

export const DIRECTORY = "/store";
export const KEY = "a";

export interface Pair {
  readonly owner: OwnerSide;
  readonly asker: AskerSide;
  readonly place: Place;
  readonly state: OwnerState;
}

export async function open(host: Host): Promise<Store> {
  return await openStore(jsonlBackend(DIRECTORY, { host, lockWait: 0 }), { onError: () => undefined });
}

/** What the asker takes the owner for. */
export async function judgeLiveness(asking: Host, pair: Pair): Promise<void> {
  const [owner] = await findOwners(DIRECTORY, asking);
  const { liveness } = owner ?? {};
  const { state, place } = pair;
  if (!isDead(state)) {
    if (liveness === "dead") throw violation("a living instance is taken for dead", pair);
    return;
  }
  // Only the socket tells an ended thread from one that lives: its pid is running.
  const isTold = state === "killed" || meet(place, pair.owner, pair.asker);
  if (isTold && liveness === "alive") throw violation("a dead instance is taken for a living one", pair);
  if (isPlain(place, pair.owner, pair.asker) && liveness !== "dead")
    throw violation(`a dead instance is not replaced, though nothing is hidden: ${liveness}`, pair);
}

export interface Running {
  readonly machine: SimulatedMachine;
  readonly process: CrashableHost;
  readonly store: Store;
  /** For an owner that is stopped. */
  readonly resume: () => void;
}

/** The asker writes to the session that the owner holds: it is refused and told by whom, or the owner is dead. */
export async function judgeWrite(
  asking: Host,
  { process, store, resume }: Running,
  pair: Pair,
): Promise<void> {
  const { pid } = process.processes.self;
  const asker = await open(asking);
  const seq = await asker
    .session(KEY)
    .append({ role: "user", content: "two" })
    .then(
      (written) => written.seq,
      (error: unknown) => {
        if (isLonghandError(error, "SESSION_LOCKED") && error.detail["pid"] === pid) return undefined;
        throw violation(`it is refused, and not told by whom: ${String(error)}`, pair);
      },
    );
  if (seq !== undefined && !isDead(pair.state)) throw violation("a living instance was replaced", pair);
  if (seq !== undefined && seq !== 2) throw violation(`the second record is number ${seq}`, pair);
  if (isDead(pair.state)) return;
  resume();
  const own = await store
    .session(KEY)
    .append({ role: "user", content: "mine" })
    .catch((error: unknown) => {
      throw violation(`the living instance cannot go on: ${String(error)}`, pair);
    });
  if (own.seq !== 2) throw violation(`the living instance's second record is number ${own.seq}`, pair);
}

function violation(wrong: string, { owner, asker, place, state }: Pair): Violation {
  return new Violation(
    `${wrong}\nThe owner, ${state}, in ${place}: ${JSON.stringify(owner)}\nThe asker: ${JSON.stringify(asker)}`,
  );
}
