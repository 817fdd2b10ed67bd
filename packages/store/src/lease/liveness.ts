/** Whether another store instance lives: asks what the rule in liveness-rule.ts wants to know, until it has a verdict. */

import type { Host, Processes } from "../host/host.ts";
import type { InstanceDescription } from "../wal/instance-description.ts";
import { fencePath, socketPath, type Layout } from "../format/layout.ts";
import type { Id } from "../format/session-id.ts";
import { conclude, type Answers, type Liveness } from "./liveness-rule.ts";

/** `owner`: who the instance is; `undefined`: its journal does not say. */
export async function livenessOf(
  host: Host,
  layout: Layout,
  instance: Id,
  owner: InstanceDescription | undefined,
): Promise<Liveness> {
  const { processes, files } = host;
  const parties = { owner, self: processes.self };
  let answers: Answers = {};
  for (;;) {
    const next = conclude(parties, answers);
    if (typeof next === "object") {
      answers = { ...answers, process: await processes.find(next.pid) };
      continue;
    }
    switch (next) {
      case "mark":
        answers = { ...answers, mark: await hasGivenUp(host, layout, instance) };
        break;
      case "socket":
        answers = { ...answers, socket: await processes.probe(socketPath(layout, instance)) };
        break;
      case "fileSystem":
        answers = { ...answers, fileSystem: { type: await files.typeAt(layout.journals) } };
        break;
      case "alive":
      case "dead":
      case "unproven":
        return next;
    }
  }
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
