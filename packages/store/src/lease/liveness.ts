/**
 * Whether another store instance lives. An instance that is taken for dead while it lives is the one fault the protocol
 * cannot bear, so death must be proven, and what is not proven is "unproven": its sessions stay locked, and the error
 * names it.
 *
 * The order: its own mark that it has given up; its Unix socket, which the kernel refuses the moment its process is gone
 * and accepts while that is merely stopped; its pid and start time. proof-of-death.ts says whose answers count.
 */

import { LOCAL_FILE_SYSTEMS, type Host, type Processes } from "../host/host.ts";
import type { InstanceDescription } from "../wal/instance-description.ts";
import { fencePath, socketPath, type Layout } from "../format/layout.ts";
import type { Id } from "../format/session-id.ts";
import { findsSocketOf, hasOwnPidOfEarlierBoot, wouldShareKernel } from "./proof-of-death.ts";

export type Liveness = "alive" | "dead" | "unproven";

export async function livenessOf(host: Host, layout: Layout, owner: InstanceDescription): Promise<Liveness> {
  if (await hasGivenUp(host, layout, owner.instance)) return "dead";
  const answer = owner.listens ? await host.processes.probe(socketPath(layout, owner.instance)) : "absent";
  if (answer === "listening") return "alive";
  const asker = { self: host.processes.self, fileSystem: await host.files.typeAt(layout.journals) };
  if (!wouldShareKernel(owner, asker)) return "unproven";
  if (answer === "refused" && findsSocketOf(owner, asker)) return "dead";
  if (hasOwnPidOfEarlierBoot(owner, asker)) return "dead";
  const running = await host.processes.isRunning(owner);
  return running === "gone" ? "dead" : running === "running" ? "alive" : "unproven";
}

/**
 * Of an instance whose journal does not say who it is: no ordinary crash leaves such a one. Only its socket can speak for
 * it, on a file system that no other kernel has.
 */
export async function livenessOfUnknown(host: Host, layout: Layout, instance: Id): Promise<Liveness> {
  if (await hasGivenUp(host, layout, instance)) return "dead";
  const answer = await host.processes.probe(socketPath(layout, instance));
  if (answer === "listening") return "alive";
  const isLocal = LOCAL_FILE_SYSTEMS.has((await host.files.typeAt(layout.journals)) ?? "");
  return answer === "refused" && isLocal ? "dead" : "unproven";
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
