/**
 * Changes of names that are not durable yet, in the order in which they happened. Each is done or not done at a power
 * loss, as a whole. It is durable once every directory it touches was synced after it.
 */

export interface NameEdit {
  readonly directory: number;
  readonly name: string;
  /** `undefined`: the name goes. */
  readonly inode: number | undefined;
}

export interface NameChange {
  readonly edits: readonly NameEdit[];
  /** The directories whose sync is still missing; none: durable, but something before it in the same place is not. */
  readonly awaits: readonly number[];
  /** For failure messages. */
  readonly text: string;
}

export interface SyncedNames {
  /** To be put into what is durable, in this order. */
  readonly settled: readonly NameEdit[];
  readonly pending: readonly NameChange[];
}

/**
 * After a sync of `directory`. A durable change stays in the list while an earlier one in the same place is pending:
 * put in ahead of it, it would be undone by it.
 */
export function syncNames(changes: readonly NameChange[], directory: number): SyncedNames {
  const settled: NameEdit[] = [];
  const pending: NameChange[] = [];
  const blocked = new Places();
  for (const before of changes) {
    const change = before.awaits.includes(directory)
      ? { ...before, awaits: before.awaits.filter((awaited) => awaited !== directory) }
      : before;
    if (change.awaits.length === 0 && !change.edits.some((edit) => blocked.has(edit))) {
      settled.push(...change.edits);
    } else {
      pending.push(change);
      for (const edit of change.edits) blocked.add(edit);
    }
  }
  return { settled, pending };
}

/** Names in directories. Without a text for each: a simulation asks for millions. */
class Places {
  readonly #names = new Map<number, Set<string>>();

  add({ directory, name }: NameEdit): void {
    const names = this.#names.get(directory);
    if (names === undefined) this.#names.set(directory, new Set([name]));
    else names.add(name);
  }

  has({ directory, name }: NameEdit): boolean {
    return this.#names.get(directory)?.has(name) === true;
  }
}

/** After a failed sync of `directory`: what waited for it will never be durable, whatever later syncs say. */
export function failNameSync(changes: readonly NameChange[], directory: number): readonly NameChange[] {
  return changes.filter(({ awaits }) => !awaits.includes(directory));
}

/** The same text for the same name in the same directory. */
export function placeOf({ directory, name }: NameEdit): string {
  return `${directory}/${name}`;
}
