/** The fold, and the decisions that feed it, against a naive model that keeps a whole picture after each record. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memoryBackend } from "../../src/backends/memory.ts";
import { isLonghandError } from "../../src/errors.ts";
import type { Entry } from "../../src/format/entry.ts";
import {
  EMPTY_STATE,
  findRememberedId,
  foldEntry,
  isLive,
  type SessionState,
} from "../../src/format/fold.ts";
import type { Message } from "../../src/format/message.ts";
import type { OpenBackend } from "../../src/contract/backend.ts";
import { BackendStore } from "../../src/store/store.ts";
import type { Session } from "../../src/contract/types.ts";
import { collect, say, sayAll } from "../../src/testing/case-language.ts";
import { NaiveModel } from "../support/naive-model.ts";

/** Positions are drawn large and brought into range where the command is carried out. */
interface Command {
  readonly kind: keyof typeof PERFORM;
  readonly position: number;
  readonly word: string;
}

type Perform = (session: Session, model: NaiveModel, command: Command) => Promise<void>;

let unique = 0;
const fresh = (): Message => say(`message ${unique++}`);

const PERFORM = {
  append: async (session, model) => {
    await session.append(fresh());
    model.message();
  },
  batch: async (session, model, { position }) => {
    const size = 2 + (position % 3);
    await session.append(Array.from({ length: size }, fresh));
    for (let number = 0; number < size; number++) model.message();
  },
  identified: async (session, model, { word }) => {
    const writing = session.append(fresh(), { id: `id ${word}` });
    const taken = await writing.then(
      () => true,
      (error: unknown) => !isLonghandError(error, "ID_CONFLICT"),
    );
    // Never the same body twice, so that an id that is known is a conflict.
    expect(taken).toBe(!model.knows(`id ${word}`));
    if (taken) model.message(`id ${word}`);
  },
  note: async (session, model, { word }) => {
    await session.note("kind", word);
    model.note();
  },
  summary: async (session, model, { word }) => {
    await session.setSummary(word);
    model.summary(word);
  },
  title: async (session, model, { word }) => {
    await session.setTitle(word);
    model.title(word);
  },
  tags: async (session, model, { word }) => {
    await session.setTags([word]);
    model.tags([word]);
  },
  truncateLast: async (session, model, { position }) => {
    const keepLast = position % (model.now.live.length + 2);
    await session.truncate({ keepLast });
    model.truncateLast(keepLast);
  },
  truncateFrom: async (session, model, { position }) => {
    const keepFrom = 1 + (position % (model.seq + 1));
    await session.truncate({ keepFrom });
    model.truncateFrom(keepFrom);
  },
  compact: async (session, model, { position, word }) => {
    const keepFrom = 1 + (position % (model.seq + 1));
    await session.compact({ summary: word, keepFrom });
    model.compact(word, keepFrom);
  },
  rewindTo: async (session, model, { position }) => {
    const to = position % (model.seq + 1);
    await session.rewind({ to });
    model.rewindTo(to);
  },
  rewindMessages: async (session, model, { position }) => {
    const messages = position % (model.now.live.length + 2);
    await session.rewind({ messages });
    model.rewindMessages(messages);
  },
  replace: async (session, model, { position, word }) => {
    const size = position % 3;
    const messages = Array.from({ length: size }, fresh);
    await session.replace(messages, position % 2 === 0 ? {} : { summary: word });
    model.replace(size, position % 2 === 0 ? undefined : word);
  },
} satisfies Readonly<Record<string, Perform>>;

const KINDS = Object.keys(PERFORM) as (keyof typeof PERFORM)[];

const commands = fc.array(
  fc.record<Command>({
    kind: fc.constantFrom(...KINDS, "append", "append", "batch", "rewindTo"),
    position: fc.nat(1000),
    word: fc.constantFrom("a", "b", "c"),
  }),
  { maxLength: 40, size: "max" },
);

async function perform(list: readonly Command[]): Promise<{ entries: Entry[]; model: NaiveModel }> {
  const { backend, session } = await openSession();
  const model = new NaiveModel();
  for (const command of list) {
    await PERFORM[command.kind](session, model, command);
    await expectSame(session, model);
  }
  const snapshot = await backend.snapshot("s");
  const range = { from: 1, to: Infinity, reverse: false };
  return { entries: snapshot === undefined ? [] : (await collect(snapshot.entries(range))).flat(), model };
}

async function openSession(): Promise<{ backend: OpenBackend; session: Session }> {
  const unused = (): void => expect.fail("nothing is damaged in memory");
  const options = { durability: "sync", readOnly: false, onDamage: unused, onError: unused } as const;
  const backend = await memoryBackend().open(options);
  return { backend, session: new BackendStore(backend).session("s") };
}

async function expectSame(session: Session, model: NaiveModel): Promise<void> {
  const info = await session.state();
  const live = (await collect(session.records({ live: true }))).map(({ seq }) => seq);
  const { summary, title, tags } = model.now;
  expect(live).toEqual(model.now.live);
  expect(info?.seq ?? 0).toBe(model.seq);
  expect(info?.count ?? 0).toBe(live.length);
  expect([info?.summary ?? "", info?.title, info?.tags ?? []]).toEqual([summary, title, tags]);
}

function liveSeqs(state: SessionState, entries: readonly Entry[]): number[] {
  return entries.filter(({ seq, body }) => body.op === "message" && isLive(state, seq)).map(({ seq }) => seq);
}

describe("the fold", () => {
  test("agrees with the naive model after every record of every history", async () => {
    await fc.assert(
      fc.asyncProperty(commands, async (list) => {
        const { entries, model } = await perform(list);
        expect(entries).toHaveLength(model.seq);
        let state = EMPTY_STATE;
        for (const [index, entry] of entries.entries()) {
          state = foldEntry(state, entry);
          const { live, summary, title, tags } = model.after(entry.seq);
          expect(liveSeqs(state, entries.slice(0, index + 1))).toEqual(live);
          expect(state).toMatchObject({ seq: index + 1, count: live.length, summary, title, tags });
        }
      }),
      { numRuns: 300 },
    );
  });

  test("stays small however often a turn is retried", async () => {
    const retries: Command[] = [{ kind: "append", position: 0, word: "a" }];
    for (let attempt = 0; attempt < 200; attempt++) {
      retries.push(
        { kind: "append", position: 0, word: "a" },
        { kind: "rewindMessages", position: 1, word: "a" },
      );
    }
    const { entries } = await perform(retries);
    const state = entries.reduce(foldEntry, EMPTY_STATE);
    expect(state.seq).toBe(401);
    expect(state.kept.length).toBeLessThanOrEqual(3);
  });

  test("passes over records of an unknown kind, but counts them", () => {
    const at = "2026-11-15T19:24:12.123Z";
    const state = foldEntry(EMPTY_STATE, { seq: 1, at, body: { op: "unknown", json: "{}" } });
    expect(state).toEqual({ ...EMPTY_STATE, seq: 1, updated: at });
  });

  test("does not change the state it is given", async () => {
    const { entries } = await perform(KINDS.map((kind) => ({ kind, position: 1, word: "a" })));
    let state = EMPTY_STATE;
    for (const entry of entries) {
      const before = JSON.stringify(state);
      const next = foldEntry(state, entry);
      expect(JSON.stringify(state)).toBe(before);
      state = next;
    }
  });
});

describe("remembered ids", () => {
  test("come back when the rewind that cut them is undone", async () => {
    const { backend, session } = await openSession();
    await session.append(sayAll("a", "b"), { id: "x" });
    await session.rewind({ to: 0 });
    expect(findRememberedId((await backend.snapshot("s"))?.state ?? EMPTY_STATE, "x")).toBeUndefined();
    await session.rewind({ to: 2 });
    const found = findRememberedId((await backend.snapshot("s"))?.state ?? EMPTY_STATE, "x");
    expect(found).toMatchObject({ firstSeq: 1, lastSeq: 2 });
    expect(await session.append(sayAll("a", "b"), { id: "x" })).toEqual({ seq: 2 });
  });

  test("are not kept beyond the last 1,000 records", async () => {
    const { backend, session } = await openSession();
    for (let number = 0; number < 1500; number++) await session.append(say("x"), { id: `id ${number}` });
    const state = (await backend.snapshot("s"))?.state ?? EMPTY_STATE;
    expect(state.ids.length).toBeLessThanOrEqual(1000);
    expect(findRememberedId(state, "id 500")).toBeDefined();
    expect(findRememberedId(state, "id 499")).toBeUndefined();
  });
});
