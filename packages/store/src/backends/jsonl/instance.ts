/**
 * A store instance: one opening of a directory for writing. It can be told apart from all others, named to those who
 * must wait for it, and its death can be proven.
 *
 * The proof must be right: an instance taken for dead that lives is the one fault the protocol cannot bear. A listener
 * on a Unix socket beside its journal is what proves life: the kernel refuses connections the moment the process is
 * gone, and a process that is merely stopped still accepts them.
 */

import type { Host, Processes, ProcessIdentity } from "../../host/host.ts";
import { isJsonObject } from "../../record/json.ts";
import { fencePath, socketPath, type Layout } from "./layout.ts";

export interface InstanceDescription extends ProcessIdentity {
  readonly instance: string;
  readonly since: string;
  /** It listens on its socket. False where the path is too long for one. */
  readonly listens: boolean;
}

export type Liveness = "alive" | "dead" | "unproven";

export async function livenessOf(host: Host, layout: Layout, owner: InstanceDescription): Promise<Liveness> {
  if (GIVEN_UP.get(host.processes)?.has(owner.instance) === true) return "dead";
  if ((await host.files.stat(fencePath(layout, owner.instance))) !== undefined) return "dead";
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

/** Instances of this process that have given themselves up, where even the mark that says so could not be written. */
const GIVEN_UP = new WeakMap<Processes, Set<string>>();

export function rememberGivenUp(host: Host, instance: string): void {
  const known = GIVEN_UP.get(host.processes) ?? new Set();
  GIVEN_UP.set(host.processes, known.add(instance));
}

export function parseInstanceDescription(value: unknown): InstanceDescription | undefined {
  if (!isJsonObject(value)) return undefined;
  const { instance, since, listens, pid, host, startTime, bootId, pidNamespace } = value;
  if (typeof instance !== "string" || typeof since !== "string" || typeof listens !== "boolean")
    return undefined;
  if (typeof pid !== "number" || typeof host !== "string") return undefined;
  return {
    instance,
    since,
    listens,
    pid,
    host,
    startTime: optionalText(startTime),
    bootId: optionalText(bootId),
    pidNamespace: optionalText(pidNamespace),
  };
}

function optionalText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
