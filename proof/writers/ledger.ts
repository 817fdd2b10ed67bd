/**
 * Everything that the writers of one directory have told, through all their lives, and whether what is found there fits:
 * the judge of histories, and beyond it forks, which begin with what the other session had; whether a session is active
 * or archived; and that seqs have no gaps.
 */

import { judgeHistory, type AttemptedWrite, type FoundMessage } from "../oracle/judge-history.ts";
import { isWrite, textOf, type Operation, type Told, type Write } from "./operation.ts";

export interface FoundSession {
  readonly status: "active" | "archived" | "trashed";
  /** Messages and notes; the writers make no other records. */
  readonly entries: readonly FoundMessage[];
}

/** Failures of these codes say that nothing was written. */
const REFUSALS: readonly string[] = ["DISK_FULL", "SESSION_EXISTS", "SESSION_NOT_FOUND"];

export class Ledger {
  readonly #writes = new Map<
    string,
    {
      readonly write: Write;
      answer: AttemptedWrite["answer"];
      lives: number;
      /** Somebody who tried it was not answered, or was told that it did not fit. */
      isOpen: boolean;
    }
  >();
  readonly #forks = new Map<string, { readonly key: string; readonly at: number; isDone: boolean }>();
  /** As far as it is known: nothing here, nothing known. */
  readonly #statuses = new Map<string, "active" | "archived">();

  /** The forks that there are for certain. */
  get forks(): readonly string[] {
    return [...this.#forks].flatMap(([newKey, { isDone }]) => (isDone ? [newKey] : []));
  }

  /**
   * Takes in what a writer told in its life; answers with the writes that it was not answered for. `alone`: nobody else
   * wrote to its sessions at that time, so that the last word on whether they are archived is its own.
   */
  hear(told: readonly Told[], alone: boolean): Write[] {
    const open = new Map<number, Operation>();
    for (const each of told) {
      if (each.kind === "trying") {
        open.set(each.number, each.operation);
        this.#begin(each.operation);
      } else if (each.kind === "done" || each.kind === "failed") {
        const operation = open.get(each.number);
        if (operation === undefined) throw new Error(`an answer to nothing: ${JSON.stringify(each)}`);
        open.delete(each.number);
        if (each.kind === "failed") this.#fail(operation, each.code);
        else this.#finish(operation, each.seq, alone);
      }
    }
    for (const operation of open.values()) if (isMove(operation)) this.#statuses.delete(operation.key);
    return [...open.values()].filter(isWrite);
  }

  /** `undefined` is a pass; a string says what is wrong. */
  judge(found: ReadonlyMap<string, FoundSession>): string | undefined {
    const own = new Map<string, readonly FoundMessage[]>();
    for (const [key, { status, entries }] of found) {
      const gap = entries.findIndex(({ seq }, index) => seq !== index + 1);
      if (gap !== -1) return `${key}: seq ${entries[gap]?.seq ?? 0} where seq ${gap + 1} must be`;
      const expected = this.#statuses.get(key) ?? status;
      if (status !== expected) return `${key}: it is ${status} and must be ${expected}`;
      const fork = this.#forks.get(key);
      if (entries.length === 0 && !this.#mayBeEmpty(key)) return `${key}: an empty session that nobody began`;
      if (fork === undefined) {
        own.set(key, entries);
        continue;
      }
      const inherited = (found.get(fork.key)?.entries ?? []).slice(0, fork.at);
      const wrong = inherited.find(({ content }, index) => entries[index]?.content !== content);
      if (wrong !== undefined || inherited.length < fork.at) {
        const lost = wrong?.seq ?? inherited.length + 1;
        return `${key}: forked from ${fork.key} at seq ${fork.at}, it has another record with seq ${lost}`;
      }
      own.set(key, entries.slice(fork.at));
    }
    const missing = [...this.#forks].find(([newKey, { isDone }]) => isDone && !found.has(newKey));
    if (missing !== undefined) return `${missing[0]}: its fork was acknowledged, and it is not there`;
    const writes = [...this.#writes.values()].map(({ write, answer }) => ({
      key: write.key,
      contents: write.contents.map(textOf),
      answer,
    }));
    return judgeHistory(writes, own);
  }

  /**
   * Of what was left open: what is found now, with nobody writing, is there for good, and what is not will not turn up
   * later either, unless somebody writes it again. For what has passed the judge.
   */
  settle(found: ReadonlyMap<string, FoundSession>): void {
    const seqs = new Map<string, number>();
    for (const { entries } of found.values()) for (const { seq, content } of entries) seqs.set(content, seq);
    for (const known of this.#writes.values()) {
      if (known.answer.kind !== "unknown") continue;
      const seq = seqs.get(textOf(known.write.contents.at(-1) ?? { name: "", length: 0 }));
      known.answer = seq === undefined ? { kind: "refused" } : { kind: "acknowledged", seq };
    }
    for (const [newKey, fork] of this.#forks) {
      if (found.has(newKey)) fork.isDone = true;
      else this.#forks.delete(newKey);
    }
    for (const [key, { status }] of found) if (status !== "trashed") this.#statuses.set(key, status);
  }

  /** Its first write may have been cut short, or have found the disk full, when the session was there already. */
  #mayBeEmpty(key: string): boolean {
    return [...this.#writes.values()].some(({ write, isOpen }) => write.key === key && isOpen);
  }

  #begin(operation: Operation): void {
    if (isMove(operation)) this.#statuses.delete(operation.key);
    if (operation.kind === "fork") {
      const { key, newKey, at } = operation;
      this.#forks.set(newKey, { key, at, isDone: false });
    } else if (isWrite(operation)) {
      const known = this.#writes.get(operation.id);
      if (known === undefined) {
        this.#writes.set(operation.id, {
          ...{ write: operation, answer: { kind: "unknown" }, lives: 1, isOpen: true },
        });
      } else {
        known.lives += 1;
        if (known.answer.kind === "refused") known.answer = { kind: "unknown" };
      }
    }
  }

  #finish(operation: Operation, seq: number | undefined, alone: boolean): void {
    if (operation.kind === "fork") {
      const fork = this.#forks.get(operation.newKey);
      if (fork !== undefined) fork.isDone = true;
    } else if (isWrite(operation)) {
      const known = this.#writes.get(operation.id);
      if (known === undefined || seq === undefined) throw new Error(`a write without a seq: ${operation.id}`);
      known.answer = { kind: "acknowledged", seq };
      // Who had tried it before may have left something else.
      if (known.lives === 1) known.isOpen = false;
    }
    // A writer does one thing to a session after another, or only writes: the last answer is the last word.
    if (!alone || !isMove(operation)) return;
    this.#statuses.set(operation.key, operation.kind === "archive" ? "archived" : "active");
  }

  #fail(operation: Operation, code: string): void {
    if (!REFUSALS.includes(code)) return;
    // It has a name that no other has, and was tried once: nothing of it may be there.
    if (operation.kind === "fork") this.#forks.delete(operation.newKey);
    if (!isWrite(operation)) return;
    const known = this.#writes.get(operation.id);
    // Of one that an earlier writer has tried as well nothing is known: that one may have written it.
    if (known?.lives !== 1) return;
    known.answer = { kind: "refused" };
    known.isOpen = code === "DISK_FULL";
  }
}

/** May it make an archived session active, or the other way round? A fork, of an archived session too, leaves it so. */
function isMove({ kind }: Operation): boolean {
  return kind !== "fork" && kind !== "reclaim";
}
