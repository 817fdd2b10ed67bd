/**
 * One plain JSONL file a session and nothing else: no checksum, no lock, no recovery. Durable appends are a write and an
 * fdatasync on a descriptor that stays open; search and list are scans. It marks what the file system itself allows.
 */

import { closeSync, copyFileSync, fdatasyncSync, fstatSync, ftruncateSync, openSync } from "node:fs";
import { readdirSync, readFileSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Candidate, Driver, FoundMessage, ListedSession, OpenedStore, OpenMode } from "../candidate.ts";
import type { BenchMessage } from "../message-mix.ts";
import { linesOf, readLines, tailStart } from "./jsonl-lines.ts";

const EXTENSION = ".jsonl";
const TITLE_LENGTH = 40;

export const bareFile: Candidate = {
  name: "bare-file",
  title: "bare JSONL files",
  isDurable: true,
  load: async () => await Promise.resolve(new BareFileDriver()),
};

export class BareFileDriver implements Driver<BenchMessage> {
  toOwn(message: BenchMessage): BenchMessage {
    return message;
  }

  fromOwn(own: BenchMessage): BenchMessage {
    return own;
  }

  open(directory: string, mode: OpenMode): OpenedStore<BenchMessage> {
    return new BareFileStore(directory, mode);
  }
}

export class BareFileStore implements OpenedStore<BenchMessage> {
  readonly #directory: string;
  readonly #mode: OpenMode;
  readonly #descriptors = new Map<string, number>();

  constructor(directory: string, mode: OpenMode) {
    this.#directory = directory;
    this.#mode = mode;
  }

  append(key: string, message: BenchMessage): void {
    this.appendBatch(key, [message]);
  }

  appendBatch(key: string, messages: readonly BenchMessage[]): void {
    const descriptor = this.#descriptor(key);
    writeSync(descriptor, messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
    this.#sync(descriptor);
  }

  tail(key: string, count: number): readonly BenchMessage[] {
    const descriptor = this.#descriptor(key);
    const { size } = fstatSync(descriptor);
    return Array.from(readLines(descriptor, tailStart(descriptor, size, count)), parse);
  }

  load(key: string): readonly BenchMessage[] {
    return [...this.iterate(key)];
  }

  *iterate(key: string): Iterable<BenchMessage> {
    for (const line of readLines(this.#descriptor(key), 0)) yield parse(line);
  }

  count(key: string): number {
    return Array.from(readLines(this.#descriptor(key), 0), () => undefined).length;
  }

  /** Writes the kept part to the beginning of the file; not safe against a crash, which a real program would have to be. */
  truncate(key: string, keepLast: number): void {
    const descriptor = this.#descriptor(key);
    const { size } = fstatSync(descriptor);
    const start = tailStart(descriptor, size, keepLast);
    const kept = Buffer.alloc(size - start);
    readSync(descriptor, kept, 0, kept.length, start);
    ftruncateSync(descriptor, 0);
    writeSync(descriptor, kept);
    this.#sync(descriptor);
  }

  rewind(key: string, messages: number): void {
    const descriptor = this.#descriptor(key);
    ftruncateSync(descriptor, tailStart(descriptor, fstatSync(descriptor).size, messages));
    this.#sync(descriptor);
  }

  fork(key: string, newKey: string): void {
    copyFileSync(this.#path(key), this.#path(newKey));
    this.#sync(this.#descriptor(newKey));
  }

  list(): readonly ListedSession[] {
    return this.#keys().map((key) => {
      const lines = [...linesOf(readFileSync(this.#path(key)))];
      const [first, last] = [lines.at(0), lines.at(-1)].map((line) => line && parse(line));
      const title = first?.content.slice(0, TITLE_LENGTH) ?? "";
      return { key, title, count: lines.length, updated: last?.created_at ?? "" };
    });
  }

  search(word: string): readonly FoundMessage<BenchMessage>[] {
    return this.#keys().flatMap((key) => {
      const bytes = readFileSync(this.#path(key));
      if (!bytes.includes(word)) return [];
      return [...linesOf(bytes)]
        .filter((line) => line.includes(word))
        .map((line) => ({ key, message: parse(line) }));
    });
  }

  close(): void {
    for (const descriptor of this.#descriptors.values()) closeSync(descriptor);
    this.#descriptors.clear();
  }

  #sync(descriptor: number): void {
    if (this.#mode === "sync") fdatasyncSync(descriptor);
  }

  #keys(): string[] {
    return readdirSync(this.#directory)
      .filter((name) => name.endsWith(EXTENSION))
      .map((name) => name.slice(0, -EXTENSION.length));
  }

  #descriptor(key: string): number {
    const known = this.#descriptors.get(key);
    if (known !== undefined) return known;
    const descriptor = openSync(this.#path(key), "a+");
    this.#descriptors.set(key, descriptor);
    return descriptor;
  }

  #path(key: string): string {
    return join(this.#directory, `${key}${EXTENSION}`);
  }
}

function parse(line: Buffer): BenchMessage {
  return JSON.parse(line.toString("utf8")) as BenchMessage;
}
