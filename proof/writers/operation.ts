/** What a writer does to a store, and how it tells about it: before each operation, and after its answer. */

import type { Session, Store } from "@longhand/store";

export interface Write {
  readonly kind: "messages" | "note";
  readonly key: string;
  /** One content for each message; more than one message is a batch. A note has one. */
  readonly contents: readonly Content[];
  /** The same for a write that is tried again by a later writer. Each content belongs to one id for ever. */
  readonly id: string;
}

/** A text by its name, which nothing else in the history has, and its length. */
export interface Content {
  readonly name: string;
  readonly length: number;
}

export type Operation =
  | Write
  /** `at` is the seq of a record that is there. */
  | { readonly kind: "fork"; readonly key: string; readonly newKey: string; readonly at: number }
  | { readonly kind: "archive" | "restore" | "reclaim"; readonly key: string };

/** `number` counts the operations of one writer. An answer with `seq` is the one to a write. */
export type Told =
  | { readonly kind: "ready" }
  | { readonly kind: "opened" }
  | { readonly kind: "trying"; readonly number: number; readonly operation: Operation }
  | { readonly kind: "done"; readonly number: number; readonly seq: number | undefined }
  | { readonly kind: "failed"; readonly number: number; readonly code: string; readonly why: string };

export function isWrite(operation: Operation): operation is Write {
  return operation.kind === "messages" || operation.kind === "note";
}

/** Made of the name all the way, so that no piece of one can pass for a piece of another. */
export function textOf({ name, length }: Content): string {
  return name.padEnd(length, ` ${name}`);
}

/** Answers with the seq of a write. */
export async function perform(store: Store, operation: Operation): Promise<number | undefined> {
  const session = store.session(operation.key);
  switch (operation.kind) {
    case "messages":
    case "note":
      return (await write(session, operation)).seq;
    case "fork":
      await session.fork(operation.newKey, { at: operation.at });
      return undefined;
    case "archive":
      await session.archive();
      return undefined;
    case "restore":
      await session.restore();
      return undefined;
    case "reclaim":
      await store.reclaim({ keys: [operation.key] });
      return undefined;
  }
}

async function write(session: Session, { kind, contents, id }: Write): Promise<{ readonly seq: number }> {
  const texts = contents.map(textOf);
  if (kind === "note") return await session.note("proof", texts[0], { id });
  const messages = texts.map((content) => ({ role: "user", content }) as const);
  return await session.append(messages, { id });
}
