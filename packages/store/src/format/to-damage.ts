import { reasonText } from "./damage-reason.ts";
import type { ScanDamage } from "./scan-visitor.ts";
import type { Damage } from "./session-record.ts";

/** Damage of a session's file as callers are told of it. */
export function toDamage(found: ScanDamage, file: string, key: string | undefined): Damage {
  const { offset, bytes, kind, reason, seq } = found;
  const isPermitted = reason.code !== "segment-unreadable" || reason.why.code !== "not-permitted";
  return {
    ...{ file, offset, bytes, kind, reason: reasonText(reason) },
    ...(key === undefined ? {} : { key }),
    ...(seq === undefined ? {} : { seq }),
    ...(isPermitted ? {} : { notPermitted: true }),
  };
}
