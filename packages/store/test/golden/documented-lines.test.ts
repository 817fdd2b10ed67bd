/** Every sample line of docs/format.md has the checksum that the page says it has. */

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";
import { expect, test } from "vitest";

const PAGE = fileURLToPath(new URL("../../../../docs/format.md", import.meta.url));
const CRC = /^(\{.*),"crc":"([0-9a-f]{8})"\}$/;

const inHex = (sum: number): string => sum.toString(16).padStart(8, "0");
const sumOf = (text: string): string => inHex(crc32(text));

/** The whole session files on the page: blocks that begin with a header. What is cut short (…) is no sample. */
async function sampleFiles(): Promise<string[][]> {
  const page = await readFile(PAGE, "utf8");
  const blocks = [...page.matchAll(/^```\n(.*?)^```$/gms)].map(([, text = ""]) =>
    text.split("\n").slice(0, -1),
  );
  return blocks.filter(([first = ""]) => first.startsWith('{"longhand":'));
}

interface SampleHeader {
  readonly id: string;
  readonly chain?: readonly { readonly bytes: number; readonly sum: string; readonly session?: string }[];
}

const headerOf = ([first = ""]: readonly string[]): SampleHeader => JSON.parse(first) as SampleHeader;

test("each line has the checksum of its salt and its bytes", async () => {
  const files = await sampleFiles();
  expect(files.map(({ length }) => length)).toEqual([4, 3]);
  for (const lines of files) {
    for (const [index, line] of lines.entries()) {
      const [, covered = "", sum] = CRC.exec(line) ?? [];
      expect(sumOf((index === 0 ? "" : headerOf(lines).id) + covered), line).toBe(sum);
    }
  }
});

test("the chain of the fork, and its checkpoint, have the sums of the bytes that they name", async () => {
  const [origin = [], fork = []] = await sampleFiles();
  const [link] = headerOf(fork).chain ?? [];
  const text = origin.map((line) => `${line}\n`).join("");
  expect(link).toMatchObject({ bytes: text.length, sum: sumOf(text), session: headerOf(origin).id });
  const checkpoint = JSON.parse(fork[1] ?? "{}") as { readonly sum?: string };
  expect(checkpoint.sum).toBe(sumOf(`${fork[0] ?? ""}\n`));
});

test("control: a line with another letter has another checksum", async () => {
  const [lines = []] = await sampleFiles();
  const [, covered = "", sum] = CRC.exec(lines[1]?.replace("hello", "hallo") ?? "") ?? [];
  expect(sumOf(headerOf(lines).id + covered)).not.toBe(sum);
});
