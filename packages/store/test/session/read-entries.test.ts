/** A log in several files, with checkpoints in them, reads the same in both directions, from any seq to any other. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { patchedSource } from "../../src/session/byte-source.ts";
import { partsOf, type LogPart } from "../../src/session/log-part.ts";
import { readEntries, stateAfter, type ReadableLog } from "../../src/session/read-entries.ts";
import { encodeCheckpoint } from "../../src/format/checkpoint.ts";
import { continueSum, EMPTY_SUM } from "../../src/format/checksum.ts";
import { encodeEntry } from "../../src/format/encode.ts";
import type { Body, Entry } from "../../src/format/entry.ts";
import { EMPTY_STATE, foldEntry, type SessionState } from "../../src/format/fold.ts";
import { encodeHeader, firstHeader, type ChainLink, type Header } from "../../src/format/header.ts";
import { toEntries } from "../../src/format/to-entries.ts";
import { fileOfBytes } from "../support/file-of-bytes.ts";
import { plainEntry } from "../support/plain-entry.ts";
import { message, SESSION_ID } from "../support/sample-log.ts";

const AT = "2026-11-15T19:24:12.123Z";

type Step = Body | readonly Body[] | "checkpoint" | "seal";

interface Built {
  readonly files: Buffer[];
  readonly header: Header;
  readonly entries: readonly Entry[];
  /** After each record; the empty one first. */
  readonly states: readonly SessionState[];
  /** Where the lines of the records lie. */
  readonly lines: readonly { file: number; offset: number; bytes: number }[];
}

function build(steps: readonly Step[]): Built {
  const identity = firstHeader({ key: "k", id: SESSION_ID, at: AT });
  let header = identity;
  let state = EMPTY_STATE;
  let file = encodeHeader(header);
  const files: Buffer[] = [];
  const entries: Entry[] = [];
  const states = [state];
  const lines: { file: number; offset: number; bytes: number }[] = [];
  const checkpoint = (): void => {
    file = Buffer.concat([file, encodeCheckpoint({ state, sum: continueSum(EMPTY_SUM, file) }, SESSION_ID)]);
  };
  for (const step of steps) {
    if (step === "checkpoint") {
      checkpoint();
    } else if (step === "seal") {
      const first = (header.chain.at(-1)?.last ?? 0) + 1;
      if (state.seq < first) continue;
      const link: ChainLink = {
        file: header.file,
        first,
        last: state.seq,
        bytes: file.length,
        sum: continueSum(EMPTY_SUM, file),
        until: AT,
      };
      files.push(file);
      header = { ...header, file: header.file + 1, chain: [...header.chain, link] };
      file = encodeHeader(header);
      checkpoint();
    } else {
      for (const entry of toEntries(state, "op" in step ? [step] : step, undefined, AT)) {
        const line = encodeEntry(entry, SESSION_ID);
        lines.push({ file: header.file, offset: file.length, bytes: line.length });
        file = Buffer.concat([file, line]);
        state = foldEntry(state, entry);
        entries.push(entry);
        states.push(state);
      }
    }
  }
  return { files: [...files, file], header, entries, states, lines };
}

function readable({ files, header }: Built, damage: unknown[] = []): ReadableLog {
  const seq = header.chain.at(-1)?.last ?? 0;
  const active = files.at(-1) ?? Buffer.alloc(0);
  return {
    parts: partsOf(header, active.length, Math.max(seq, Number.MAX_SAFE_INTEGER)),
    onDamage: (place) => damage.push(place),
    openPart: (part: LogPart) => {
      const bytes = files[part.file] ?? Buffer.alloc(0);
      const source = patchedSource(fileOfBytes(bytes), bytes.length, []);
      return Promise.resolve({ path: String(part.file), source, close: async () => await Promise.resolve() });
    },
  };
}

async function collect(log: ReadableLog, from: number, to: number, reverse: boolean): Promise<Entry[]> {
  const found: Entry[] = [];
  for await (const block of readEntries(log, { from, to, reverse })) found.push(...block.map(plainEntry));
  return found;
}

const body = fc.oneof(
  { weight: 6, arbitrary: fc.string({ maxLength: 30 }).map((text) => message(text)) },
  { weight: 1, arbitrary: fc.constant<Body>(message("x".repeat(300_000))) },
  { weight: 1, arbitrary: fc.constant<Body>({ op: "summary", summary: "s" }) },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: body },
  { weight: 2, arbitrary: fc.array(body, { minLength: 2, maxLength: 4 }) },
  { weight: 2, arbitrary: fc.constant<Step>("checkpoint") },
  { weight: 1, arbitrary: fc.constant<Step>("seal") },
);

describe("a log in several files", () => {
  test("gives every range in both directions, and the state after every record", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.nat(), fc.nat(), async (steps, a, b) => {
        const built = build(steps);
        const { entries, states } = built;
        const from = (a % (entries.length + 2)) + 1;
        const to = from + (b % (entries.length + 1)) - 1;
        const damage: unknown[] = [];
        const log = readable(built, damage);
        const wanted = entries.filter(({ seq }) => seq >= from && seq <= to);
        expect(await collect(log, from, to, false)).toEqual(wanted);
        expect(await collect(log, from, to, true)).toEqual(wanted.toReversed());
        const seq = a % (entries.length + 1);
        expect(await stateAfter(log, seq)).toEqual(states[seq]);
        expect(damage).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  test("gives the same in both directions when lines are damaged, and never a damaged one", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 30 }),
        fc.array(fc.tuple(fc.nat(), fc.nat(), fc.boolean()), { minLength: 1, maxLength: 3 }),
        async (steps, hits) => {
          const built = build(steps);
          const hit = new Set<number>();
          for (const [which, where, isNewline] of hits) {
            const line = built.lines[which % Math.max(built.lines.length, 1)];
            const bytes = line === undefined ? undefined : built.files[line.file];
            if (line === undefined || bytes === undefined) continue;
            const at = line.offset + (isNewline ? line.bytes - 1 : where % line.bytes);
            bytes[at] = (bytes[at] ?? 0) ^ 4;
            hit.add(which % built.lines.length);
          }
          const damage: unknown[] = [];
          const log = readable(built, damage);
          const forwards = await collect(log, 1, Number.MAX_SAFE_INTEGER, false);
          const backwards = await collect(log, 1, Number.MAX_SAFE_INTEGER, true);
          expect(backwards.toReversed()).toEqual(forwards);
          // A good line after a flipped newline is glued to the damaged one: it is lost to a reader, never wrong.
          for (const entry of forwards) expect(entry).toEqual(built.entries[entry.seq - 1]);
          const missing = built.entries.length - forwards.length;
          expect(missing).toBeLessThanOrEqual(hit.size * 2 + 4 * hit.size);
          if (missing > 0) expect(damage.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 150 },
    );
  });

  test("a batch of which two lines look like one damaged record is not served by halves, in either direction", async () => {
    const built = build([
      message("1"),
      [message("2"), message("3"), message("4")],
      "checkpoint",
      message("5"),
    ]);
    const [third, fourth] = [built.lines[2], built.lines[3]];
    const file = built.files[0] ?? Buffer.alloc(0);
    // The newline between them and a byte before it: they look like one record.
    for (const at of [third?.bytes ?? 0, (third?.bytes ?? 0) - 5]) file[(third?.offset ?? 0) + at - 1] = 0x21;
    expect(fourth?.offset).toBe((third?.offset ?? 0) + (third?.bytes ?? 0));
    const log = readable(built);
    const seqs = (await collect(log, 1, 5, false)).map(({ seq }) => seq);
    expect(seqs).toEqual([1, 5]);
    expect((await collect(log, 1, 5, true)).map(({ seq }) => seq)).toEqual(seqs.toReversed());
  });

  test("an old line pasted behind newer ones does not hide them from a reader that goes backwards", async () => {
    const steps: Step[] = Array.from({ length: 20 }, (_, index) => message(String(index)));
    const built = build([...steps.slice(0, 12), "checkpoint", ...steps.slice(12)]);
    const third = built.lines[2];
    const file = built.files[0] ?? Buffer.alloc(0);
    const pasted = file.subarray(third?.offset, (third?.offset ?? 0) + (third?.bytes ?? 0));
    built.files[0] = Buffer.concat([file, pasted]);
    const damage: unknown[] = [];
    const log = readable(built, damage);
    expect(await collect(log, 1, 20, true)).toEqual(built.entries.toReversed());
    expect(damage).toHaveLength(1);
  });
});
