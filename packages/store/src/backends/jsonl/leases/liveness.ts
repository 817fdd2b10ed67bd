/**
 * A store instance: one opening of a directory for writing. It can be told apart from all others, named to those who
 * must wait for it, and its death can be proven.
 *
 * The proof must be right: an instance taken for dead that lives is the one fault the protocol cannot bear. A listener
 * on a Unix socket beside its journal is what proves life: the kernel refuses connections the moment the process is
 * gone, and a process that is merely stopped still accepts them.
 */

import type { Host, Processes } from "../../../host/host.ts";
import type { InstanceDescription } from "../../../journal/instance-description.ts";
import { fencePath, socketPath, type Layout } from "../files/layout.ts";
import type { Id } from "../../../record/session-id.ts";

export type Liveness = "alive" | "dead" | "unproven";

export async function livenessOf(host: Host, layout: Layout, owner: InstanceDescription): Promise<Liveness> {
  if (await hasGivenUp(host, layout, owner.instance)) return "dead";
  const { self } = host.processes;
  // One kernel, whatever the host is called: a container's name changes with each start of it.
  const isSameBoot = owner.bootId !== undefined && owner.bootId === self.bootId;
  if (!isSameBoot && owner.host !== self.host) return "unproven";
  if (!isSameBoot && owner.bootId !== self.bootId) return "dead";
  if (owner.listens) {
    const answer = await host.processes.probe(socketPath(layout, owner.instance));
    if (answer === "refused") return "dead";
    if (answer === "listening") return "alive";
    if (answer === "unknown") return "unproven";
  }
  const running = await host.processes.isRunning(owner);
  return running === "gone" ? "dead" : running === "running" ? "alive" : "unproven";
}

/**
 * Of an instance whose journal does not say who it is: no ordinary crash leaves such a one. Only its socket can speak for
 * it, and if it lives without one, its fence stops it.
 */
export async function livenessOfUnknown(host: Host, layout: Layout, instance: Id): Promise<Liveness> {
  if (await hasGivenUp(host, layout, instance)) return "dead";
  const answer = await host.processes.probe(socketPath(layout, instance));
  return answer === "listening" ? "alive" : answer === "unknown" ? "unproven" : "dead";
}

async function hasGivenUp(host: Host, layout: Layout, instance: Id): Promise<boolean> {
  if (GIVEN_UP.get(host.processes)?.has(instance) === true) return true;
  return (await host.files.stat(fencePath(layout, instance))) !== undefined;
}

/** Instances of this process that have given themselves up, where even the mark that says so could not be written. */
const GIVEN_UP = new WeakMap<Processes, Set<string>>();

export function rememberGivenUp(host: Host, instance: string): void {
  const known = GIVEN_UP.get(host.processes) ?? new Set();
  GIVEN_UP.set(host.processes, known.add(instance));
}
