/** What a repair has written is as an ordinary writer leaves it: checkpoints where they are due, each with the right sum. */

import { expect, test } from "vitest";
import { copyGoodLines } from "../../src/session/copy-good-lines.ts";
import { patchedSource, type ByteSource } from "../../src/session/byte-source.ts";
import { writePart } from "../../src/session/part-writer.ts";
import { verifyPart } from "../../src/session/verify-part.ts";
import { decodeLine } from "../../src/format/decode.ts";
import { EMPTY_STATE } from "../../src/format/fold.ts";
import { fileOfBytes } from "../support/file-of-bytes.ts";
import { AT, buildSession, filesUnder, machineWith } from "../support/built-store.ts";
import { message, SESSION_ID } from "../support/sample-log.ts";

const SESSION = buildSession("a", SESSION_ID, [
  ...Array.from({ length: 60 }, (_, index) => message(`${index} `.repeat(3000))),
  { op: "truncate", keepFrom: 50, count: 11 },
  "checkpoint",
  ...Array.from({ length: 60 }, (_, index) => [message(`${index} `.repeat(3000)), message("and")]),
]);

function sourceOf(bytes: Buffer): ByteSource {
  return patchedSource(fileOfBytes(bytes), bytes.length, []);
}

async function rewrite(bytes: Buffer): Promise<Buffer> {
  const host = (await machineWith(new Map())).startProcess();
  const from = bytes.indexOf("\n") + 1;
  const part = {
    mark: Buffer.alloc(0),
    header: { ...SESSION.header, file: 1 },
    writtenBy: SESSION_ID,
    state: EMPTY_STATE,
    isGuess: false,
    now: AT,
  };
  const range = { source: sourceOf(bytes), writtenBy: SESSION_ID, from, to: bytes.length };
  const written = await writePart(host.files, "/store/new.jsonl", part, async (writer) => {
    await copyGoodLines({ ...range, seqBefore: 0, last: undefined }, writer);
  });
  const found = (await filesUnder(host, "/store")).get("new.jsonl") ?? Buffer.alloc(0);
  expect(found.length).toBe(written.bytes);
  const sealed = { last: written.state.seq, bytes: written.bytes, sum: written.sum };
  const verified = await verifyPart({ source: sourceOf(found), writtenBy: SESSION_ID, first: 1, sealed });
  expect(verified.damage).toEqual([]);
  return found;
}

function linesOf(bytes: Buffer): string[] {
  return bytes.toString().split("\n").slice(0, -1);
}

const kindOf = (line: string): string => decodeLine(Buffer.from(line), SESSION_ID).kind;

test("records are the same bytes, with a checkpoint about every 256 KiB and never within a batch", async () => {
  const old = SESSION.files.get(SESSION.path) ?? Buffer.alloc(0);
  const lines = linesOf(await rewrite(old));
  expect(lines.filter((line) => kindOf(line) === "entry")).toEqual(
    linesOf(old).filter((line) => kindOf(line) === "entry"),
  );
  expect(kindOf(lines[1] ?? "")).toBe("checkpoint");
  const places = lines.flatMap((line, index) => (kindOf(line) === "checkpoint" ? [index] : []));
  expect(places.length).toBeGreaterThanOrEqual(Math.floor(old.length / (300 * 1024)));
  for (const place of places) expect(lines[place + 1]).not.toContain('"batch":[2,2]');
});

test("where records are lost, the next old checkpoint says what they had led to", async () => {
  const old = Buffer.from(SESSION.files.get(SESSION.path) ?? Buffer.alloc(0));
  old[old.indexOf("truncate")] = 0;
  const lines = linesOf(await rewrite(old));
  const lost = lines.findIndex((line) => kindOf(line) === "lost");
  expect(lines[lost]).toContain('"lost":[61,61]');
  const decoded = decodeLine(Buffer.from(lines[lost + 1] ?? ""), SESSION_ID);
  expect(decoded).toMatchObject({
    kind: "checkpoint",
    checkpoint: { state: { seq: 61, keepFrom: 50, count: 11 } },
  });
});

test("a sum that does not match, though each line is whole, is found once", async () => {
  const old = SESSION.files.get(SESSION.path) ?? Buffer.alloc(0);
  const changed = Buffer.from(old.toString().replace("\n", "\r\n"));
  const { damage } = await verifyPart({
    source: sourceOf(changed),
    writtenBy: SESSION_ID,
    first: 1,
    sealed: undefined,
  });
  expect(damage).toMatchObject([{ offset: 0, reason: { code: "sum-mismatch" } }]);
});
