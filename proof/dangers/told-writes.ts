/** Appends to one key by several stores, what each was told, and whether what is found afterwards fits. */

import { isLonghandError, jsonlBackend, openStore, type Store } from "@longhand/store";
import type { Host, SimulatedMachine } from "@longhand/store/testing";
import { judgeHistory, type AttemptedWrite, type FoundMessage } from "../oracle/judge-history.ts";

export const DIRECTORY = "/store";
export const KEY = "a";

/** So small that what was answered two writes ago is in no journal any more. */
const JOURNAL_BYTES = 200;

/** What it reports besides is not looked at, unless `onReport` does. */
export async function openQuietly(
  host: Host,
  readOnly = false,
  onReport: (reason: string) => void = () => undefined,
): Promise<Store> {
  return await openStore(jsonlBackend(DIRECTORY, { host, journalBytes: JOURNAL_BYTES }), {
    readOnly,
    onDamage: ({ reason }) => onReport(reason),
    onError: () => undefined,
  });
}

/** No crash leaves records that belong to another history: nobody has changed a file but the stores themselves. */
const DOES_NOT_FIT = "do not fit this file";

export class ToldWrites {
  readonly #writes: AttemptedWrite[];

  constructor(writes: readonly AttemptedWrite[] = []) {
    this.#writes = [...writes];
  }

  /** What is told by now, for a judge who comes later. */
  copy(): ToldWrites {
    return new ToldWrites(this.#writes);
  }

  /** False: it was not acknowledged. */
  async append(store: Store, ...contents: readonly string[]): Promise<boolean> {
    const write = { key: KEY, contents };
    const at = this.#writes.push({ ...write, answer: { kind: "unknown" } }) - 1;
    try {
      const { seq } = await store
        .session(KEY)
        .append(contents.map((content) => ({ role: "user", content }) as const));
      this.#writes[at] = { ...write, answer: { kind: "acknowledged", seq } };
      return true;
    } catch (error) {
      if (isLonghandError(error) && error.code !== "STORE_FAILED")
        this.#writes[at] = { ...write, answer: { kind: "refused" } };
      return false;
    }
  }

  /** What everybody was told, as text. */
  answers(): string {
    return JSON.stringify(this.#writes);
  }

  /** What is wrong with the store on this machine; `undefined`: nothing. */
  async judge(machine: SimulatedMachine): Promise<string | undefined> {
    try {
      const strays: string[] = [];
      const store = await openQuietly(machine.startProcess(), false, (reason) => {
        if (reason.includes(DOES_NOT_FIT)) strays.push(reason);
      });
      const found = await messagesIn(store);
      return this.judgeFound(found) ?? strays[0];
    } catch (error) {
      return `it cannot be opened and read: ${String(error)}`;
    }
  }

  /** For who reads when nobody writes. */
  judgeFound(found: readonly FoundMessage[]): string | undefined {
    return judgeHistory(this.#writes, new Map([[KEY, found]]));
  }

  /** For who reads while others write: a beginning of what was written by now. */
  judgeSeen(found: readonly FoundMessage[]): string | undefined {
    const gap = found.find(({ seq }, index) => seq !== index + 1);
    if (gap !== undefined) return `seq ${gap.seq} is read without all that come before it`;
    const unsettled = this.#writes.map((write): AttemptedWrite => ({
      ...write,
      answer: { kind: "unknown" },
    }));
    return judgeHistory(unsettled, new Map([[KEY, found]]));
  }
}

export async function messagesIn(store: Store): Promise<FoundMessage[]> {
  const found: FoundMessage[] = [];
  for await (const record of store.session(KEY).records()) {
    const content = record.op === undefined ? record.message.content : `(${record.op})`;
    found.push({ seq: record.seq, content: typeof content === "string" ? content : JSON.stringify(content) });
  }
  return found;
}
