/**
 * What a workload consists of, as data: so that it can be drawn by chance, made shorter while it still fails, and told.
 * A step that a store refuses (nothing to archive, a key that is taken) is a step like any other.
 */

export type Step = (
  | {
      readonly kind: "append";
      readonly key: string;
      readonly contents: readonly string[];
      readonly id?: string;
    }
  | { readonly kind: "note"; readonly key: string; readonly data: string; readonly id?: string }
  | { readonly kind: "summary" | "title" | "tags"; readonly key: string; readonly text: string }
  | { readonly kind: "truncate"; readonly key: string; readonly keepLast: number }
  | { readonly kind: "rewind"; readonly key: string; readonly messages: number }
  /** To so many records before the last. */
  | { readonly kind: "rewind back" | "compact"; readonly key: string; readonly back: number }
  /** Of the newest truncate or compact. */
  | { readonly kind: "undo cut"; readonly key: string }
  | { readonly kind: "replace"; readonly key: string; readonly contents: readonly string[] }
  | { readonly kind: "fork"; readonly key: string; readonly newKey: string; readonly back: number }
  | { readonly kind: "archive" | "restore" | "delete" | "delete forever"; readonly key: string }
  /** Appends under a lock. */
  | { readonly kind: "lock"; readonly key: string; readonly contents: readonly string[] }
  /** `drop`: below this seq, whole segments. */
  | { readonly kind: "reclaim"; readonly drop?: number }
  | { readonly kind: "purge" }
  | { readonly kind: "repair" }
  /** The store is closed and opened again. */
  | { readonly kind: "reopen" }
  /** Its process is killed; another one opens the store. */
  | { readonly kind: "kill" }
) & {
  /** Which of the instances does it. @default the first */
  readonly by?: number;
};

const EACH_KIND: Readonly<Record<Step["kind"], true>> = {
  ...{ append: true, note: true, summary: true, title: true, tags: true, truncate: true, rewind: true },
  ...{ "rewind back": true, compact: true, "undo cut": true, replace: true, fork: true, archive: true },
  ...{ restore: true, delete: true, "delete forever": true, lock: true, reclaim: true, purge: true },
  ...{ repair: true, reopen: true, kill: true },
};

/** All there are: the tests see to it that each is drawn, and is in a workload that has a name. */
export const STEP_KINDS: readonly string[] = Object.keys(EACH_KIND);

/** Steps that are begun at the same moment. On one key there is only one, or all of them append. */
export type Group = readonly Step[];

export interface Workload {
  readonly name: string;
  readonly keys: readonly string[];
  /** Small, so that a short workload uses the journal's space again several times. */
  readonly journalBytes?: number;
  /** Small, so that a short workload seals several files. */
  readonly segmentBytes?: number;
  readonly groups: readonly Group[];
  /** What the disk holds, durably, before anybody opens a store there. */
  readonly files?: Readonly<Record<string, string>>;
  /** Other keys that these files give to sessions: each with the key of the session. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** The keys whose sessions it changes; `undefined`: of all of them. */
export function changedKeys(step: Step): readonly string[] | undefined {
  if (step.kind === "reclaim" || step.kind === "purge" || step.kind === "repair") return undefined;
  if (step.kind === "reopen" || step.kind === "kill") return [];
  return [step.kind === "fork" ? step.newKey : step.key];
}

export function tellWorkload({ name, groups, journalBytes, segmentBytes }: Workload): string {
  const sizes = `journal ${journalBytes ?? "as usual"}, segments ${segmentBytes ?? "as usual"}`;
  return [
    `workload "${name}" (${sizes}):`,
    ...groups.map((group) => `  ${group.map(tellStep).join("  |  ")}`),
  ].join("\n");
}

function tellStep({ kind, ...details }: Step): string {
  const told = Object.entries(details).map(([name, value]) => `${name} ${short(value)}`);
  return [kind, ...told].join(" ");
}

function short(value: unknown): string {
  const text = JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "string" && inner.length > 24
      ? `${inner.trimEnd().slice(0, 12)}… (${inner.length})`
      : inner,
  );
  return text;
}
