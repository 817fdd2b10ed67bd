/** Does a step on a store, whichever backend it has. */

import type { Message, Session, Store } from "@longhand/store";
import type { Step } from "./step.ts";

/** Steps that concern a store as a whole are the caller's to do. */
export type StoreStep = Exclude<Step, { readonly kind: "reopen" | "kill" }>;

/** Of every note that a step writes. */
export const NOTE_KIND = "pin";

export function user(content: string): Message {
  return { role: "user", content };
}

/** Rejects as the store does. */
export async function performStep(store: Store, step: StoreStep): Promise<void> {
  if (step.kind === "purge") await store.purge();
  else if (step.kind === "repair") await store.repair();
  else if (step.kind === "reclaim")
    await store.reclaim(step.drop === undefined ? {} : { drop: { before: step.drop } });
  else await performOnSession(store.session(step.key), step);
}

async function performOnSession(
  session: Session,
  step: Exclude<StoreStep, { readonly kind: "purge" | "repair" | "reclaim" }>,
): Promise<void> {
  switch (step.kind) {
    case "append":
      await session.append(bodyOf(step.contents), step.id === undefined ? {} : { id: step.id });
      return;
    case "note":
      await session.note(NOTE_KIND, { text: step.data }, step.id === undefined ? {} : { id: step.id });
      return;
    case "summary":
      await session.setSummary(step.text);
      return;
    case "title":
      await session.setTitle(step.text);
      return;
    case "tags":
      await session.setTags([step.text]);
      return;
    case "truncate":
      await session.truncate({ keepLast: step.keepLast });
      return;
    case "rewind":
      await session.rewind({ messages: step.messages });
      return;
    case "rewind back":
      await session.rewind({ to: await seqBack(session, step.back) });
      return;
    case "compact":
      await session.compact({ summary: "so far", keepFrom: await seqBack(session, step.back) });
      return;
    case "undo cut":
      await session.undoCut(await newestCut(session));
      return;
    case "replace":
      await session.replace(step.contents.map(user), { summary: "anew" });
      return;
    case "fork":
      await session.fork(step.newKey, step.back === 0 ? {} : { at: await seqBack(session, step.back) });
      return;
    case "archive":
      await session.archive();
      return;
    case "restore":
      await session.restore();
      return;
    case "delete":
      await session.delete();
      return;
    case "delete forever":
      await session.delete({ forever: true });
      return;
    case "lock": {
      const lock = await session.lock();
      try {
        await session.append(bodyOf(step.contents));
      } finally {
        await lock[Symbol.asyncDispose]();
      }
    }
  }
}

/** A single message is appended as one, several as a batch. */
export function bodyOf(contents: readonly string[]): Message | readonly Message[] {
  const [only, ...others] = contents.map(user);
  return only === undefined || others.length > 0 ? contents.map(user) : only;
}

/** Where there is none, a seq that the store refuses. */
async function newestCut(session: Session): Promise<number> {
  for await (const { op, seq } of session.records({ reverse: true }))
    if (op === "truncate" || op === "compact") return seq;
  return 1;
}

async function seqBack(session: Session, back: number): Promise<number> {
  return Math.max(1, ((await session.state())?.seq ?? 0) - back);
}
