/**
 * What a process may conclude about another from what both know of themselves. Pure: the facts come from the journal of
 * the one and from the host of the other. What is not known on both sides proves nothing.
 */

import { LOCAL_FILE_SYSTEMS, MACOS, type ProcessIdentity } from "../host/host.ts";
import type { InstanceDescription } from "../wal/instance-description.ts";

/** The side that asks. */
export interface Asker {
  readonly self: ProcessIdentity;
  /** The type of the file system on which it sees the journals. */
  readonly fileSystem: string | undefined;
}

/**
 * If the owner lives, it runs on the kernel of the asker. Proven by the same boot id; or by a file system that only one
 * kernel can have, if both see it: a boot id alone is not enough, since a container may be given one of its own, and
 * another boot id under the same host name may be another machine that shares the disk.
 */
export function wouldShareKernel(owner: InstanceDescription, { self, fileSystem }: Asker): boolean {
  if (owner.bootId !== undefined && owner.bootId === self.bootId) return true;
  const isSameName = owner.host === self.host;
  // macOS has neither boot ids that can be read nor containers that share a kernel.
  if (owner.pidNamespace === MACOS && self.pidNamespace === MACOS) return isSameName;
  if (fileSystem === undefined || !LOCAL_FILE_SYSTEMS.has(fileSystem)) return false;
  // Earlier versions did not say what they saw.
  return owner.fileSystem === undefined ? isSameName : owner.fileSystem === fileSystem;
}

/**
 * The socket that the asker finds is the one that the owner listens on. Through another file system over the same
 * directory (NFS, FUSE, the layer of a container) the kernel finds no listener, though there is one.
 */
export function findsSocketOf(owner: InstanceDescription, { fileSystem }: Asker): boolean {
  return owner.fileSystem === undefined || owner.fileSystem === fileSystem;
}

/**
 * On the kernel of the asker the owner's pid is the asker's own, so no other living process can be the owner; and the
 * asker's process is not, since it has another boot id. A machine that starts the same way each time gives the same pid
 * and start time again, so `isRunning` cannot tell the two apart.
 */
export function hasOwnPidOfEarlierBoot(owner: InstanceDescription, { self }: Asker): boolean {
  const isOwnPid = owner.pidNamespace !== undefined && owner.pidNamespace === self.pidNamespace;
  if (!isOwnPid || owner.pid !== self.pid) return false;
  return owner.bootId !== undefined && self.bootId !== undefined && owner.bootId !== self.bootId;
}
