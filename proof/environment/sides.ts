/**
 * What two processes may see of themselves and of each other, and what of it can be at the same time. The owner has the
 * store open; the asker wants to know whether it lives.
 */

/** "different": it sees one of its own, as in a container. */
const SEEN = ["visible", "hidden", "different"] as const;
type Seen = (typeof SEEN)[number];

export interface Side {
  readonly bootId: Seen;
  readonly pidNamespace: Seen;
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

/** Where the owner runs, as seen from the asker. "this process": both are threads of it. */
export const PLACES = ["this kernel", "another kernel", "this process"] as const;
export type Place = (typeof PLACES)[number];

/**
 * "stopped": as by SIGSTOP, or a thread whose event loop is blocked. The kernel still accepts connections to its socket,
 * and nothing reads them. "ended thread": it is dead, and its pid and start time are those of a process that lives.
 */
export const OWNER_STATES = ["running", "stopped", "killed", "ended thread"] as const;
export type OwnerState = (typeof OWNER_STATES)[number];

export function isDead(state: OwnerState): boolean {
  return state === "killed" || state === "ended thread";
}

export const OWNERS: readonly OwnerSide[] = SEEN.flatMap((bootId) =>
  SEEN.flatMap((pidNamespace) =>
    (["visible", "hidden"] as const).flatMap((startTime) =>
      (["local", "shared", "unsaid"] as const).flatMap((fileSystem) =>
        [true, false].flatMap((listens) =>
          (["same", "other"] as const).map((host) => ({
            ...{ bootId, pidNamespace, startTime, fileSystem, listens, host },
          })),
        ),
      ),
    ),
  ),
);

export const ASKERS: readonly AskerSide[] = SEEN.flatMap((bootId) =>
  SEEN.flatMap((pidNamespace) =>
    (["visible", "hidden"] as const).flatMap((startTime) =>
      (["local", "shared"] as const).flatMap((fileSystem) =>
        (["visible", "hidden", "unknown"] as const).map((socket) => ({
          ...{ bootId, pidNamespace, startTime, fileSystem, socket },
        })),
      ),
    ),
  ),
);

/**
 * A file system that is local on both sides has one kernel, and two kernels never have the same boot id. Machines of the
 * same name on a shared disk are told apart only by versions that say what they see: the older ones are left out there.
 * Threads of one process see the same of it. If it is killed, none of them asks.
 */
export function canBe(place: Place, owner: OwnerSide, asker: AskerSide, state: OwnerState): boolean {
  if (place === "this kernel") return true;
  if (place === "this process") {
    const isSameView = FACTS_OF_A_PROCESS.every((fact) => owner[fact] === asker[fact]);
    return state !== "killed" && isSameView && owner.host === "same";
  }
  if (owner.bootId === "visible" && asker.bootId === "visible") return false;
  if (owner.fileSystem === "unsaid") return owner.host === "other";
  return owner.fileSystem === "shared" || asker.fileSystem === "shared";
}

const FACTS_OF_A_PROCESS = ["bootId", "pidNamespace", "startTime"] as const;

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
