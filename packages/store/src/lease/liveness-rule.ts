/**
 * The rule of liveness: what a process may conclude about another instance, and what it must ask next. Pure: the facts come
 * from the journal of the one and from the host of the other. What is not known on both sides proves nothing.
 *
 * An instance that is taken for dead while it lives is the one fault the protocol cannot bear, so death must be proven. The
 * order: its own mark that it has given up; its Unix socket, which the kernel refuses the moment its process is gone and
 * accepts while that is merely stopped; its pid and start time. docs/durability.md has the same as a table.
 */

import { LOCAL_FILE_SYSTEMS, MACOS, type FoundProcess, type ProcessIdentity } from "../host/host.ts";
import type { InstanceDescription } from "../wal/instance-description.ts";

/** "unproven": its sessions stay locked, and the error names it. */
export type Liveness = "alive" | "dead" | "unproven";

export interface Parties {
  /** `undefined`: its journal does not say who it is. No ordinary crash leaves such a one. */
  readonly owner: InstanceDescription | undefined;
  /** The side that asks. */
  readonly self: ProcessIdentity;
}

/** What was asked so far. */
export interface Answers {
  /** It has given itself up, or was declared dead. */
  readonly mark?: boolean;
  readonly socket?: "listening" | "refused" | "absent" | "unknown";
  /** On which the asker sees the journals. */
  readonly fileSystem?: { readonly type: string | undefined };
  /** Of the owner's pid, in the asker's pid namespace. */
  readonly process?: FoundProcess | "none";
}

/** A pid: the process that has it, in the asker's pid namespace. */
export type Question = "mark" | "socket" | "fileSystem" | { readonly pid: number };

/** The verdict, or what must be asked for it. */
export function conclude({ owner, self }: Parties, answers: Answers): Liveness | Question {
  if (answers.mark === undefined) return "mark";
  if (answers.mark) return "dead";
  const socket = owner?.listens === false ? "absent" : answers.socket;
  if (socket === undefined) return "socket";
  if (socket === "listening") return "alive";
  if (answers.fileSystem === undefined) return "fileSystem";
  const fileSystem = answers.fileSystem.type;
  // Only its socket can speak for an unknown owner, on a file system that no other kernel has.
  if (owner === undefined) return socket === "refused" && isLocal(fileSystem) ? "dead" : "unproven";
  if (!wouldShareKernel(owner, self, fileSystem)) return "unproven";
  if (socket === "refused" && findsSocketOf(owner, fileSystem)) return "dead";
  if (owner.pidNamespace === undefined || owner.pidNamespace !== self.pidNamespace) return "unproven";
  if (hasOwnPidOfEarlierBoot(owner, self)) return "dead";
  if (answers.process === undefined) return { pid: owner.pid };
  return answers.process === "none" ? "dead" : livenessByStart(owner, self, answers.process);
}

/**
 * If the owner lives, it runs on the kernel of the asker. Proven by the same boot id; or by a file system that only one
 * kernel can have, if both see it: a boot id alone is not enough, since a container may be given one of its own, and
 * another boot id under the same host name may be another machine that shares the disk.
 */
function wouldShareKernel(
  owner: InstanceDescription,
  self: ProcessIdentity,
  fileSystem: string | undefined,
): boolean {
  if (isSameBoot(owner, self)) return true;
  const isSameName = owner.host === self.host;
  // macOS has neither boot ids that can be read nor containers that share a kernel.
  if (owner.pidNamespace === MACOS && self.pidNamespace === MACOS) return isSameName;
  if (!isLocal(fileSystem)) return false;
  // Earlier versions did not say what they saw.
  return owner.fileSystem === undefined ? isSameName : owner.fileSystem === fileSystem;
}

/**
 * The socket that the asker finds is the one that the owner listens on. Through another file system over the same
 * directory (NFS, FUSE, the layer of a container) the kernel finds no listener, though there is one.
 */
function findsSocketOf(owner: InstanceDescription, fileSystem: string | undefined): boolean {
  return owner.fileSystem === undefined || owner.fileSystem === fileSystem;
}

/**
 * On the kernel of the asker the owner's pid is the asker's own, so no other living process can be the owner; and the
 * asker's process is not, since it has another boot id. A machine that starts the same way each time gives the same pid
 * and start time again, so these cannot tell the two apart.
 */
function hasOwnPidOfEarlierBoot(owner: InstanceDescription, self: ProcessIdentity): boolean {
  if (owner.pid !== self.pid) return false;
  return owner.bootId !== undefined && self.bootId !== undefined && owner.bootId !== self.bootId;
}

/** There is a process with the owner's pid: its start time tells whether it is the owner. */
function livenessByStart(
  owner: InstanceDescription,
  self: ProcessIdentity,
  { startTime }: FoundProcess,
): Liveness {
  if (startTime === undefined || owner.startTime === undefined) return "unproven";
  // The kernel shifts start times by what a time namespace has set: from another one they cannot be compared.
  if (owner.timeNamespace !== self.timeNamespace) return "unproven";
  if (startTime !== owner.startTime) return "dead";
  // Another boot may have given the same pid at the same time after its start.
  return isSameBoot(owner, self) ? "alive" : "unproven";
}

function isSameBoot(owner: InstanceDescription, self: ProcessIdentity): boolean {
  return owner.bootId !== undefined && owner.bootId === self.bootId;
}

function isLocal(fileSystem: string | undefined): boolean {
  return fileSystem !== undefined && LOCAL_FILE_SYSTEMS.has(fileSystem);
}
