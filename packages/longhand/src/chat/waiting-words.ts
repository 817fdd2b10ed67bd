/**
 * Words that were sent from the editor and whose turn has not begun, each in a small file of the home, so that a kill does not lose them:
 * the next chat in the same session offers them again. A file is written before the words are shown as waiting, and removed when they are
 * durable in the session. Words are never sent from here. A file of a process that is still there is left alone; its name says which.
 */

import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Session } from "@longhand/store";
import { errorCode } from "../error-code.ts";
import { spokenText } from "./spoken-text.ts";

/** What is in a file. */
interface KeptWords {
  readonly store: string;
  readonly key: string;
  readonly text: string;
  /** As JSON writes a date. */
  readonly at: string;
  /** Counts what one process has kept, from 1: tells the order of two in one millisecond. */
  readonly number: number;
  /** Sending had begun: the session had so many records then. */
  readonly afterSeq?: number;
}

/** By the name of its file. `undefined`: it could not be kept. */
export type WaitingId = string | undefined;

const NAME = /^([0-9a-f]{16})\.([0-9a-f]{8}-\d+-\d+)\.([0-9a-f-]{36})\.json$/;

export class WaitingWords {
  readonly #directory: string | undefined;
  readonly #onProblem: (problem: string) => void;
  readonly #process = processName(process.pid);
  readonly #words = new Map<string, KeptWords>();
  /** Back in the editor, and neither sent nor deleted yet. */
  #offered: string[] = [];
  #isTold = false;
  #added = 0;

  /** `undefined`: nothing is kept. */
  constructor(directory: string | undefined, onProblem: (problem: string) => void) {
    this.#directory = directory;
    this.#onProblem = onProblem;
  }

  get areKept(): boolean {
    return this.#directory !== undefined && !this.#isTold;
  }

  add(store: string, key: string, text: string): WaitingId {
    const name = `${sessionName(store, key)}.${this.#process}.${randomUUID()}.json`;
    return this.#write(name, this.#newWords(store, key, text)) ? name : undefined;
  }

  #newWords(store: string, key: string, text: string): KeptWords {
    this.#added += 1;
    return { store, key, text, at: new Date().toISOString(), number: this.#added };
  }

  /** They are being sent to the session, whose newest record is `afterSeq`. */
  begin(id: WaitingId, afterSeq: number): void {
    const words = id === undefined ? undefined : this.#words.get(id);
    if (id !== undefined && words !== undefined) this.#write(id, { ...words, afterSeq });
  }

  /** They are durable in the session, or need not be kept. */
  remove(id: WaitingId): void {
    if (id === undefined || !this.#words.delete(id)) return;
    this.#guarded((directory) => rmSync(join(directory, id), { force: true }));
  }

  /** They are in the editor again. */
  offer(id: WaitingId): void {
    if (id !== undefined && this.#words.has(id)) this.#offered.push(id);
  }

  /** What was in the editor is sent or deleted. */
  removeOffered(): void {
    for (const id of this.#offered.splice(0)) this.remove(id);
  }

  /** The words that processes which are gone have left for this session, oldest first; they count as offered from now on. */
  async claim(store: string, session: Session): Promise<readonly string[]> {
    const own = sessionName(store, session.key);
    const claimed: (readonly [id: string, words: KeptWords])[] = [];
    for (const name of this.#guarded(listDirectory) ?? []) {
      const [, of = "", owner = "", id = ""] = NAME.exec(name) ?? [];
      if (of !== own || isThere(owner)) continue;
      const mine = `${of}.${this.#process}.${id}.json`;
      const words = this.#guarded((directory) => takeOver(directory, name, mine));
      if (words === undefined || words.store !== store || words.key !== session.key) continue;
      this.#words.set(mine, words);
      if (await isInSession(words, session)) this.remove(mine);
      else claimed.push([mine, words]);
    }
    claimed.sort(([, one], [, other]) => compare(one.at, other.at) || one.number - other.number);
    this.#offered.push(...claimed.map(([id]) => id));
    return claimed.map(([, { text }]) => text);
  }

  #write(name: string, words: KeptWords): boolean {
    const isWritten = this.#guarded((directory) => {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const temporary = join(directory, `${name}.tmp`);
      writeFileSync(temporary, JSON.stringify(words), { mode: 0o600, flush: true });
      renameSync(temporary, join(directory, name));
      return true;
    });
    if (isWritten === true) this.#words.set(name, words);
    return isWritten === true;
  }

  /** What fails is told once: a chat goes on without it. */
  #guarded<T>(work: (directory: string) => T): T | undefined {
    if (this.#directory === undefined) return undefined;
    try {
      return work(this.#directory);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!this.#isTold) this.#onProblem(`messages that wait would not survive a kill: ${reason}`);
      this.#isTold = true;
      return undefined;
    }
  }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function sessionName(store: string, key: string): string {
  return createHash("sha256").update(`${store}\0${key}`).digest("hex").slice(0, 16);
}

function processName(pid: number): string {
  const host = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
  return `${host}-${pid}-${startOf(pid)}`;
}

/** When a process began, as Linux counts; 0 where that cannot be told. */
function startOf(pid: number): string {
  try {
    // Behind the name of the program, which may have anything in it.
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").replace(/^.*\)/s, "").trim().split(" ");
    return fields[19] ?? "0";
  } catch {
    return "0";
  }
}

/** Of another host it cannot be told: its words are offered, since words that are shown twice are better than lost ones. */
function isThere(owner: string): boolean {
  const pid = Number(owner.split("-")[1]);
  if (owner !== processName(pid)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}

function listDirectory(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** `undefined`: another chat was quicker, or it is no file of ours. Of two chats only one can rename it. */
function takeOver(directory: string, name: string, mine: string): KeptWords | undefined {
  try {
    renameSync(join(directory, name), join(directory, mine));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  return wordsIn(readFileSync(join(directory, mine), "utf8"));
}

function wordsIn(json: string): KeptWords | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { store, key, text, at, number, afterSeq } = value as Partial<Record<keyof KeptWords, unknown>>;
  if (typeof store !== "string" || typeof key !== "string" || typeof text !== "string") return undefined;
  if (typeof at !== "string" || text === "") return undefined;
  // An earlier version wrote no number.
  const order = Number.isSafeInteger(number) ? Number(number) : 0;
  return {
    store,
    key,
    text,
    at,
    number: order,
    ...(Number.isSafeInteger(afterSeq) ? { afterSeq: Number(afterSeq) } : {}),
  };
}

/** The kill came between the words being durable and their file being removed. */
async function isInSession({ text, afterSeq }: KeptWords, session: Session): Promise<boolean> {
  if (afterSeq === undefined || !(await session.exists())) return false;
  for await (const record of session.records({ reverse: true })) {
    if (record.seq <= afterSeq) return false;
    if (record.op !== undefined || record.message.role !== "user") continue;
    if (record.message.content === spokenText(text)) return true;
  }
  return false;
}
