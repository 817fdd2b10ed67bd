/** One edit of one file of a store, as an editor, a transfer or a careless script makes it. */

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SeededRandom } from "../../../src/testing/index.ts";

/** Answers with what was done, to be told when a reader disagrees. */
export async function editStore(directory: string, random: SeededRandom): Promise<string> {
  const names = await readdir(directory, { recursive: true });
  const files = names.filter((name) => name.endsWith(".jsonl") && !name.startsWith(".longhand")).sort();
  const name = files[random.below(files.length)] ?? "";
  const bytes = await readFile(join(directory, name));
  const edit = EDITS[random.below(EDITS.length)] ?? cut;
  const edited = edit(bytes, random);
  await writeFile(join(directory, name), edited);
  return `${edit.name} in ${name}`;
}

type Edit = (bytes: Buffer, random: SeededRandom) => Buffer;

const linesOf = (bytes: Buffer): string[] => bytes.toString("latin1").split(/(?<=\n)/);
const joined = (lines: readonly string[]): Buffer => Buffer.from(lines.join(""), "latin1");

/** Not the header: whose file it is must be known to compare more than its damage. A checkpoint is a line like any other. */
const anyLine = (lines: readonly string[], random: SeededRandom): number =>
  Math.min(lines.length - 1, 1 + random.below(Math.max(1, lines.length - 1)));

function remove(bytes: Buffer, random: SeededRandom): Buffer {
  const lines = linesOf(bytes);
  return joined(lines.toSpliced(anyLine(lines, random), 1));
}

function copy(bytes: Buffer, random: SeededRandom): Buffer {
  const lines = linesOf(bytes);
  const line = lines[anyLine(lines, random)] ?? "";
  return joined(lines.toSpliced(anyLine(lines, random), 0, line));
}

function move(bytes: Buffer, random: SeededRandom): Buffer {
  const lines = linesOf(bytes);
  const [line = ""] = lines.splice(anyLine(lines, random), 1);
  return joined(lines.toSpliced(anyLine(lines, random), 0, line));
}

function glue(bytes: Buffer, random: SeededRandom): Buffer {
  const lines = linesOf(bytes);
  const index = anyLine(lines, random);
  return joined(lines.with(index, (lines[index] ?? "").replace("\n", "")));
}

function moveHeader(bytes: Buffer, random: SeededRandom): Buffer {
  const [header = "", ...lines] = linesOf(bytes);
  return joined(lines.toSpliced(anyLine(lines, random), 0, header));
}

/** On either side of the header, or the header on either side of the line. */
function glueToHeader(bytes: Buffer, random: SeededRandom): Buffer {
  const [header = "", ...lines] = linesOf(bytes);
  const index = random.below(Math.max(1, lines.length));
  const line = lines[index] ?? "";
  const pair = random.below(2) === 0 ? [line, header] : [header, line];
  const glued = pair.join("").replace("\n", random.below(3) === 0 ? "?" : "");
  const others = lines.toSpliced(index, 1);
  return joined(others.toSpliced(random.below(2) === 0 ? 0 : index, 0, glued));
}

function flip(bytes: Buffer, random: SeededRandom): Buffer {
  const edited = Buffer.from(bytes);
  const header = bytes.indexOf("\n");
  const at = Math.min(edited.length - 1, header + 1 + random.below(edited.length - header));
  edited[at] = (edited[at] ?? 0) ^ (1 << random.below(8));
  return edited;
}

function cut(bytes: Buffer, random: SeededRandom): Buffer {
  return bytes.subarray(0, random.below(bytes.length));
}

function blank(bytes: Buffer, random: SeededRandom): Buffer {
  const lines = linesOf(bytes);
  const index = anyLine(lines, random);
  return joined(lines.with(index, `${"\0".repeat((lines[index] ?? "").length - 1)}\n`));
}

function insert(bytes: Buffer, random: SeededRandom): Buffer {
  const lines = linesOf(bytes);
  const strange = ["\n", "hello\n", '{"seq":2}\n', "{}\n"][random.below(4)] ?? "\n";
  return joined(lines.toSpliced(anyLine(lines, random), 0, strange));
}

function carriageReturns(bytes: Buffer): Buffer {
  return joined(linesOf(bytes).map((line) => line.replace("\n", "\r\n")));
}

function byteOrderMark(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
}

const EDITS: readonly Edit[] = [
  ...[remove, copy, move, glue, flip, cut, blank, insert],
  ...[carriageReturns, byteOrderMark, moveHeader, glueToHeader],
];
