/**
 * What two processes may see of themselves and of each other, and what of it can be at the same time. The owner has the
 * store open; the asker wants to know whether it lives.
 */

/** "different": it sees one of its own, as in a container. */
const SEEN = ["visible", "hidden", "different"] as const;
export type Seen = (typeof SEEN)[number];

/** What both sides have. A property that is added does not compile before the matrix, the judge and the simulator know it. */
export interface Side {
  readonly bootId: Seen;
  readonly pidNamespace: Seen;
  /** In one of its own it sees other start times. "hidden": it is of a version that did not say, or the kernel has none. */
  readonly timeNamespace: Seen;
  readonly startTime: "visible" | "hidden";
  /** "unsaid": it is of a version that did not say. */
  readonly fileSystem: "local" | "shared" | "unsaid";
}

export interface OwnerSide extends Side {
  /** False: its path is too long for a socket. */
  readonly listens: boolean;
  readonly host: "same" | "other";
}

export interface AskerSide extends Side {
  /** "hidden": it is not where the asker looks for it; "unknown": the asker may not connect. */
  readonly socket: "visible" | "hidden" | "unknown";
}

type ValuesOf<T> = { readonly [Property in keyof T]: readonly T[Property][] };

const VALUES_OF_BOTH = {
  bootId: SEEN,
  pidNamespace: SEEN,
  timeNamespace: SEEN,
  startTime: ["visible", "hidden"],
} as const satisfies Partial<ValuesOf<Side>>;

const OWNER_VALUES: ValuesOf<OwnerSide> = {
  ...VALUES_OF_BOTH,
  fileSystem: ["local", "shared", "unsaid"],
  listens: [true, false],
  host: ["same", "other"],
};

const ASKER_VALUES: ValuesOf<AskerSide> = {
  ...VALUES_OF_BOTH,
  fileSystem: ["local", "shared"],
  socket: ["visible", "hidden", "unknown"],
};

export const OWNERS: readonly OwnerSide[] = everyCombination(OWNER_VALUES);
export const ASKERS: readonly AskerSide[] = everyCombination(ASKER_VALUES);

function everyCombination<T extends object>(values: ValuesOf<T>): readonly T[] {
  let combinations: readonly Partial<T>[] = [{}];
  for (const property of Object.keys(values) as (keyof T)[])
    combinations = combinations.flatMap((begun) =>
      values[property].map((value) => ({ ...begun, [property]: value })),
    );
  // Whole by now: `values` has every property.
  return combinations as readonly T[];
}

/** Where the owner runs, as seen from the asker. "this process": both are threads of it. */
export const PLACES = ["this kernel", "another kernel", "this process"] as const;
export type Place = (typeof PLACES)[number];

/**
 * "stopped": as by SIGSTOP, or a thread whose event loop is blocked. The kernel still accepts connections to its socket,
 * and nothing reads them. "ended thread": it is dead, and its pid and start time are those of a process that lives.
 */
export const OWNER_STATES = ["running", "stopped", "killed", "ended thread"] as const;
export type OwnerState = (typeof OWNER_STATES)[number];

const IS_DEAD: Readonly<Record<OwnerState, boolean>> = {
  running: false,
  stopped: false,
  killed: true,
  "ended thread": true,
};

export function isDead(state: OwnerState): boolean {
  return IS_DEAD[state];
}

/**
 * A file system that is local on both sides has one kernel, and two kernels never have the same boot id. Machines of the
 * same name on a shared disk are told apart only by versions that say what they see: the older ones are left out there.
 * Threads of one process see the same of it. If it is killed, none of them asks.
 */
export function canBe(place: Place, owner: OwnerSide, asker: AskerSide, state: OwnerState): boolean {
  switch (place) {
    case "this kernel":
      return true;
    case "this process":
      return state !== "killed" && isSameProcess(owner, asker) && owner.host === "same";
    case "another kernel":
      if (owner.bootId === "visible" && asker.bootId === "visible") return false;
      if (owner.fileSystem === "unsaid") return owner.host === "other";
      return owner.fileSystem === "shared" || asker.fileSystem === "shared";
  }
}

/** What all threads of a process see alike. */
const IS_OF_A_PROCESS: Readonly<Record<keyof Side, boolean>> = {
  bootId: true,
  pidNamespace: true,
  timeNamespace: true,
  startTime: true,
  // An earlier version of the store may run in another thread, and see the same without saying so.
  fileSystem: false,
};

function isSameProcess(owner: OwnerSide, asker: AskerSide): boolean {
  const facts = Object.keys(IS_OF_A_PROCESS) as (keyof Side)[];
  return facts.every((fact) => !IS_OF_A_PROCESS[fact] || owner[fact] === asker[fact]);
}

/**
 * Start times mean the same to both. Where neither says in which time namespace it is, the kernel has none; two that are in
 * one of their own are not in the same.
 */
export function shareTime(place: Place, owner: OwnerSide, asker: AskerSide): boolean {
  if (place === "this process") return true;
  return owner.timeNamespace === asker.timeNamespace && owner.timeNamespace !== "different";
}

/** The asker connects to the very socket that the owner listens on. */
export function meet(place: Place, owner: OwnerSide, asker: AskerSide): boolean {
  const isSameView = owner.fileSystem === "unsaid" || owner.fileSystem === asker.fileSystem;
  return place !== "another kernel" && isSameView && owner.listens && asker.socket === "visible";
}

/** What is so plain that a dead owner must be replaced, not only named. */
export function isPlain(place: Place, owner: OwnerSide, asker: AskerSide): boolean {
  if (!meet(place, owner, asker)) return false;
  const isSameBoot = owner.bootId === "visible" && asker.bootId === "visible";
  return isSameBoot || (owner.fileSystem === "local" && asker.fileSystem === "local");
}
