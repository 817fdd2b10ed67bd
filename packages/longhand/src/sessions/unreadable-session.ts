/**
 * A session that cannot be opened at all, as opposed to a damaged place in one that is served. What the store reports
 * of it, in words for a person: which file, why, and the remedy that is true for that reason.
 */

import type { Damage, LonghandError } from "@longhand/store";
import type { ToPaste } from "../terminal/command-to-paste.ts";
import { unreadableRemedy } from "./damage-remedy.ts";
import { permissionRemedy } from "../terminal/permission-remedy.ts";

export interface UnreadableSession {
  readonly file: string;
  readonly reason: string;
  readonly remedy: string;
}

const SESSION_SUFFIX = ".jsonl";

/** `undefined`: it is a place in a session that can be read, or no session's file. */
export function unreadableByDamage(damage: Damage, toPaste: ToPaste): UnreadableSession | undefined {
  const { file, offset, bytes, reason } = damage;
  // So the store reports a whole file: a damaged place has a length.
  if (offset !== 0 || bytes !== 0 || !file.endsWith(SESSION_SUFFIX)) return undefined;
  return {
    file,
    reason: withoutFile(reason, file),
    remedy: unreadableRemedy(damage, toPaste),
  };
}

/** `undefined`: the failure is not about one session's file. */
export function unreadableByError({ code, message, detail }: LonghandError): UnreadableSession | undefined {
  const { file, errno } = detail;
  if (typeof file !== "string" || !file.endsWith(SESSION_SUFFIX)) return undefined;
  const reason = withoutFile(message, file);
  // It is read all the same: others could reach it, or can.
  if (code === "DIRECTORY_UNSAFE") return undefined;
  if (code === "FORMAT_TOO_NEW") {
    return {
      file,
      reason,
      remedy: "update Longhand: a newer version wrote it; nothing is wrong with the file",
    };
  }
  if (errno === "EACCES" || errno === "EPERM") {
    return { file, reason, remedy: permissionRemedy(file) };
  }
  if (errno === "EIO")
    return { file, reason, remedy: "the device failed: copy what can be read, check the disk" };
  return { file, reason, remedy: "mend what it names; the file was left as it is" };
}

/** With what to do, for those who are not told elsewhere. */
export function adviseUnreadable(session: UnreadableSession): string {
  return `${describeUnreadable(session)}; what to do: ${session.remedy}`;
}

export function describeUnreadable({ file, reason }: UnreadableSession): string {
  return `${file}: ${reason}`;
}

function withoutFile(reason: string, file: string): string {
  return reason.startsWith(`${file} `) ? reason.slice(file.length + 1) : reason.replace(` for ${file}`, "");
}
