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

/** Where the owner runs, as seen from the asker. */
export const PLACES = ["this kernel", "another kernel"] as const;
export type Place = (typeof PLACES)[number];

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
 */
export function canBe(place: Place, owner: OwnerSide, asker: AskerSide): boolean {
  if (place === "this kernel") return true;
  if (owner.bootId === "visible" && asker.bootId === "visible") return false;
  if (owner.fileSystem === "unsaid") return owner.host === "other";
  return owner.fileSystem === "shared" || asker.fileSystem === "shared";
}

/** The asker connects to the very socket that the owner listens on. */
export function meet(place: Place, owner: OwnerSide, asker: AskerSide): boolean {
  const isSameView = owner.fileSystem === "unsaid" || owner.fileSystem === asker.fileSystem;
  return place === "this kernel" && isSameView && owner.listens && asker.socket === "visible";
}

/** What is so plain that a dead owner must be replaced, not only named. */
export function isPlain(place: Place, owner: OwnerSide, asker: AskerSide): boolean {
  if (!meet(place, owner, asker)) return false;
  const isSameBoot = owner.bootId === "visible" && asker.bootId === "visible";
  return isSameBoot || (owner.fileSystem === "local" && asker.fileSystem === "local");
}
