/** The other instances on a directory, by their journals: whoever has one may live; whoever has none has ended. */

import type { FileSystem, Host } from "../host/host.ts";
import { errorCode } from "../host/io-error.ts";
import { readWholeFile } from "../host/small-files.ts";
import { decodeHead, HEAD_BYTES } from "../wal/head.ts";
import type { InstanceDescription } from "../wal/instance-description.ts";
import { isId, type Id } from "../format/session-id.ts";
import { livenessOf } from "./liveness.ts";
import type { Liveness } from "./liveness-rule.ts";
import { JOURNAL_SUFFIX, journalPath, type Layout } from "../format/layout.ts";
import { promised } from "../host/promised.ts";

/** "ended": it has no journal, so it holds nothing and there is nothing of it to be landed. */
export interface Standing {
  readonly liveness: Liveness | "ended";
  /** `undefined`: it has ended, or its journal does not say. */
  readonly owner: InstanceDescription | undefined;
}

/**
 * Those that have a journal; none, where nobody has ever opened the store for writing. Whatever else lies there, by
 * whatever name, is nobody's.
 */
export async function listInstances(files: FileSystem, { journals }: Layout): Promise<Id[]> {
  const names = await promised(() => files.readDirectory(journals)).catch((error: unknown): string[] => {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  });
  return instancesIn(names);
}

/** `names`: what lies beside the journals. */
export function instancesIn(names: readonly string[]): Id[] {
  return names
    .filter((name) => name.endsWith(JOURNAL_SUFFIX))
    .map((name) => name.slice(0, -JOURNAL_SUFFIX.length))
    .filter(isId);
}

export class OtherInstances {
  readonly #host: Host;
  readonly #layout: Layout;
  /** Who somebody is never changes; whether he lives does. */
  readonly #owners = new Map<string, InstanceDescription>();

  constructor(host: Host, layout: Layout) {
    this.#host = host;
    this.#layout = layout;
  }

  async hasEnded(instance: Id): Promise<boolean> {
    const stat = await this.#host.files.stat(journalPath(this.#layout, instance));
    const ended = stat?.kind !== "file";
    if (ended) this.#owners.delete(instance);
    return ended;
  }

  /** Whoever holds a lease has a journal: with none of the others alive, a lease that says no name is nobody's. */
  async mayLiveBeside(instance: Id | ""): Promise<boolean> {
    for (const other of await listInstances(this.#host.files, this.#layout)) {
      if (other === instance) continue;
      const { liveness } = await this.look(other);
      if (liveness === "alive" || liveness === "unproven") return true;
    }
    return false;
  }

  async look(instance: Id): Promise<Standing> {
    if (await this.hasEnded(instance)) return { liveness: "ended", owner: undefined };
    const owner = this.#owners.get(instance) ?? (await this.#readOwner(instance));
    if (owner === "ended") return { liveness: "ended", owner: undefined };
    if (owner !== undefined) this.#owners.set(instance, owner);
    return { liveness: await livenessOf(this.#host, this.#layout, instance, owner), owner };
  }

  async #readOwner(instance: Id): Promise<InstanceDescription | "ended" | undefined> {
    try {
      const path = journalPath(this.#layout, instance);
      const bytes = await readWholeFile(this.#host.files, path, HEAD_BYTES);
      return bytes === undefined ? "ended" : decodeHead(bytes)?.owner;
    } catch (error) {
      // The journal of another user's process: there is one, and that is all we may know.
      if (errorCode(error) === "EACCES") return undefined;
      throw error;
    }
  }
}
