/** One call of one process that fails, in the middle of everything: which, and how. */

import {
  fillDisk,
  type FaultPlan,
  type FileCall,
  type FileOperation,
  type SeededRandom,
} from "@longhand/store/testing";

type FaultName =
  | "EIO of a sync"
  | "EIO of a write"
  | "EIO of an open"
  | "EIO of a rename"
  | "ENOSPC"
  | "a short write, then ENOSPC";

export interface PlannedFault {
  /** Which process, from 0; it is its first life that fails. */
  readonly process: number;
  /** The first call of this kind from this number on. */
  readonly from: number;
  readonly kind: FaultName;
}

/** How much of a write gets in before the disk is full. */
const FEW = 7;
const LATEST = 250;

/** Never the sync of a directory: names that are lost for ever though later syncs say yes are promised to nobody. */
const KINDS: Readonly<Record<FaultName, (from: number) => FaultPlan>> = {
  "EIO of a sync": failing("EIO", ["sync"]),
  "EIO of a write": failing("EIO", ["write"]),
  "EIO of an open": failing("EIO", ["open", "openForWriting", "create"]),
  "EIO of a rename": failing("EIO", ["rename", "link"]),
  ENOSPC: failing("ENOSPC", ["create", "makeDirectory", "rename", "link", "write", "sync"]),
  "a short write, then ENOSPC": (from) => {
    const plan = fillDisk(from, FEW, false);
    return (call) => (call.operation === "syncDirectory" ? undefined : plan(call));
  },
};

export function drawFault(random: SeededRandom, processes: number): PlannedFault {
  const kinds = Object.keys(KINDS) as FaultName[];
  return {
    process: random.below(processes),
    from: 1 + random.below(LATEST),
    kind: kinds[random.below(kinds.length)] ?? "ENOSPC",
  };
}

export function faultPlanOf({ kind, from }: PlannedFault): FaultPlan {
  return KINDS[kind](from);
}

function failing(code: string, operations: readonly FileOperation[]): (from: number) => FaultPlan {
  return (from) => {
    let hasFailed = false;
    return ({ number, operation }: FileCall) => {
      if (hasFailed || number < from || !operations.includes(operation)) return undefined;
      hasFailed = true;
      return { kind: "error", code };
    };
  };
}
