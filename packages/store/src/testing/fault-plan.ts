/**
 * Which calls of a host fail, and how. A plan is asked once for each call; the ones made here remember what they have
 * done, so each run needs a new one.
 */

import { assertNever } from "../errors.ts";
import type { FileCall, FileOperation } from "./file-operation.ts";

export type Fault =
  /** Nothing is done. After a failed sync its writes are lost for good, as on a real disk. */
  | { readonly kind: "error"; readonly code: string }
  /** The first `bytes` of a write get in (always fewer than asked), the count says so, and there is no error. */
  | { readonly kind: "short"; readonly bytes: number }
  /** A sync, of a file or a directory, that says yes and does nothing: for controls, in which data must be lost. */
  | { readonly kind: "ignored" };

export type FaultPlan = (call: FileCall) => Fault | undefined;

const OPENING: readonly FileOperation[] = ["open", "openForWriting", "create", "listen"];
const NAMING: readonly FileOperation[] = [
  ...(["create", "makeDirectory", "rename", "link", "unlink", "removeDirectory", "listen"] as const),
];
const TAKING_SPACE: readonly FileOperation[] = [
  ...(["create", "makeDirectory", "rename", "link", "listen"] as const),
  ...(["write", "sync", "syncDirectory"] as const),
];

/** The calls that can really fail so; a code that is not listed, such as EIO, can come from any. */
const CALLS_BY_CODE: Readonly<Record<string, readonly FileOperation[]>> = {
  ENOSPC: TAKING_SPACE,
  EDQUOT: TAKING_SPACE,
  EMFILE: [...OPENING, "readDirectory", "syncDirectory"],
  ENFILE: [...OPENING, "readDirectory", "syncDirectory"],
  EACCES: [...OPENING, ...NAMING, "readDirectory", "syncDirectory", "stat", "resolve"],
  EROFS: [...NAMING, "openForWriting", "write", "truncate"],
};

/** Call `number` fails, if it can fail so; no other does. */
export function failOnce(number: number, fault: Fault): FaultPlan {
  return (call) => (call.number === number && canFail(call, fault) ? fault : undefined);
}

/** From call `number` on, every one fails that can fail so. */
export function failForEver(number: number, fault: Fault): FaultPlan {
  return (call) => (call.number >= number && canFail(call, fault) ? fault : undefined);
}

/**
 * The disk runs full as Node shows it: the first write from call `number` on is short, without an error; the next call
 * that takes space fails with ENOSPC, and with `lasting` every one after it too.
 */
export function fillDisk(number: number, bytes: number, lasting: boolean): FaultPlan {
  const full: Fault = { kind: "error", code: "ENOSPC" };
  let state: "room" | "full" | "freed" = "room";
  return (call) => {
    if (state === "room" && call.number >= number && call.operation === "write") {
      state = "full";
      return { kind: "short", bytes };
    }
    if (state !== "full" || !canFail(call, full)) return undefined;
    if (!lasting) state = "freed";
    return full;
  };
}

/** Errors can come from any call; the other faults only mean something for some. */
export function appliesTo(fault: Fault, operation: FileOperation): boolean {
  switch (fault.kind) {
    case "error":
      return true;
    case "short":
      return operation === "write";
    case "ignored":
      return operation === "sync" || operation === "syncDirectory";
    default:
      return assertNever(fault);
  }
}

function canFail({ operation }: FileCall, fault: Fault): boolean {
  const realistic = fault.kind === "error" ? CALLS_BY_CODE[fault.code] : undefined;
  return appliesTo(fault, operation) && (realistic?.includes(operation) ?? true);
}
