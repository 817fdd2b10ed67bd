/** In which ways a call can fail, once or from then on for ever. */

import { failForEver, failOnce, fillDisk, type FaultPlan } from "@longhand/store/testing";

export interface FaultKind {
  readonly name: string;
  /** The gate sweeps every workload with it. */
  readonly isThorough: boolean;
  /** A new one for each run. */
  readonly plan: (number: number) => FaultPlan;
}

const CODES = ["EIO", "ENOSPC", "EMFILE", "EACCES", "EROFS"];
const FEW = 7;
/** Of any write all but its last byte: where a space is used again, that one may lie there already. */
const NEARLY_ALL = Infinity;

export const FAULT_KINDS: readonly FaultKind[] = [
  ...CODES.flatMap((code) => [
    {
      name: `${code} once`,
      isThorough: ["EIO", "ENOSPC"].includes(code),
      plan: (number: number) => failOnce(number, { kind: "error", code }),
    },
    {
      name: `${code} for ever`,
      isThorough: false,
      plan: (number: number) => failForEver(number, { kind: "error", code }),
    },
  ]),
  {
    name: "a short write",
    isThorough: true,
    plan: (number) => failOnce(number, { kind: "short", bytes: FEW }),
  },
  {
    name: "short writes for ever",
    isThorough: true,
    plan: (number) => failForEver(number, { kind: "short", bytes: FEW }),
  },
  {
    name: "a short write, then ENOSPC once",
    isThorough: true,
    plan: (number) => fillDisk(number, FEW, false),
  },
  {
    name: "a short write, then ENOSPC for ever",
    isThorough: true,
    plan: (number) => fillDisk(number, FEW, true),
  },
  {
    name: "a write short of its last byte, then ENOSPC once",
    isThorough: true,
    plan: (number) => fillDisk(number, NEARLY_ALL, false),
  },
];
