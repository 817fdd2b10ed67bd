/**
 * Each id and name in the session files, aliases and journals of a small store becomes a path that leads out of the store, with
 * checksums that fit: CRC-32 is no signature. The store is read, then another copy of it is written to and repaired. Nothing
 * uses a path outside of it, and only typed errors come out.
 */

import type { Host } from "@longhand/store/testing";
import { hostWithAlteredFiles } from "../altered-host.ts";
import {
  buildSample,
  DIRECTORY,
  message,
  type SampleFile,
  type SampleStore,
} from "../damage/sample-store.ts";
import { countNames, HOSTILE_NAMES, replaceNameAt } from "../fuzz/extreme-values.ts";
import { judgeFuzzed } from "../fuzz/judge-fuzzed.ts";
import { putTogether, takeApart, type JournalBlock } from "../fuzz/journal-blocks.ts";
import { joinLines, splitLines } from "../fuzz/line-mutations.ts";
import { sealAgain } from "../fuzz/sealed-line.ts";
import { Violation } from "../part.ts";

/** `spoil`: what is wrong with the host of the one who reads. Answers with how many stores were looked at. */
export async function searchHostileNames(spoil: (host: Host) => Host = (host) => host): Promise<number> {
  const sample = await sampleStore();
  let moments = 0;
  for (const file of sample.files) {
    for (const name of HOSTILE_NAMES) {
      for (const bytes of forgeries(file, name)) {
        for (const isWritten of [false, true])
          await judge(sample, { ...file, bytes }, name, isWritten, spoil);
        moments += 2;
      }
    }
  }
  return moments;
}

/** A session with a chain, one that shares it, one of each that was put away; and records that are in the journal alone. */
async function sampleStore(): Promise<SampleStore> {
  const options = { seed: 1, segmentBytes: 300, isKilled: true };
  return await buildSample("names", options, async ({ store, remember, holdBack }) => {
    for (const text of ["one", "two", "three"]) await store.session("a").append(message(text));
    await store.session("a").fork("child");
    for (const key of ["archived", "deleted", "b", "c"]) await store.session(key).append(message(key));
    await store.session("archived").archive();
    await remember("deleted");
    await store.session("deleted").delete();
    holdBack();
    await store.session("b").append([message("four"), message("five")]);
    await store.session("c").append(message("six"));
  });
}

/** The file with each of its names replaced, one at a time. */
function forgeries({ path, bytes }: SampleFile, name: string): readonly Buffer[] {
  if (path.endsWith(".journal")) return forgedJournals(bytes, name);
  return /\.jsonl?$/.test(path) && !path.includes("/.longhand/") ? forgedLines(path, bytes, name) : [];
}

function forgedLines(path: string, bytes: Buffer, name: string): readonly Buffer[] {
  const lines = splitLines(bytes);
  const isAlias = path.endsWith(".json");
  return lines.flatMap((line, index) =>
    namesIn(line.toString("utf8")).map((at) => {
      const text = replaceNameAt(line.toString("utf8"), at, name);
      // Whoever forges a header also gives the lines behind it checksums that fit its id.
      const salt = index === 0 ? idOf(text) : idOf(lines[0]?.toString("utf8") ?? "");
      return joinLines(
        lines.map((each, number) => {
          const own = number === index ? Buffer.from(text) : each;
          return own.length === 0 ? own : sealAgain(own, isAlias ? "alias" : number === 0 ? "" : salt);
        }),
      );
    }),
  );
}

function forgedJournals(bytes: Buffer, name: string): readonly Buffer[] {
  const parts = takeApart(bytes);
  return parts.blocks.flatMap((block, index) =>
    block.records.flatMap(({ place }, record) =>
      namesIn(place).map((at) => {
        const blocks = [...parts.blocks];
        blocks[index] = forgedBlock(block, record, replaceNameAt(place, at, name));
        return putTogether({ ...parts, blocks });
      }),
    ),
  );
}

function forgedBlock(block: JournalBlock, record: number, place: string): JournalBlock {
  const session = (JSON.parse(place) as { readonly session: string }).session;
  const sealed = (bytes: Buffer): Buffer =>
    joinLines(splitLines(bytes).map((line) => (line.length === 0 ? line : sealAgain(line, session))));
  const records = block.records.map((each, number) =>
    number === record ? { place, bytes: sealed(each.bytes) } : each,
  );
  return { ...block, records };
}

function namesIn(text: string): readonly number[] {
  return Array.from({ length: countNames(text) }, (_, at) => at);
}

function idOf(header: string): string {
  return /"id":"((?:[^"\\]|\\.)*)"/.exec(header)?.[1] ?? "";
}

async function judge(
  sample: SampleStore,
  file: SampleFile,
  name: string,
  isWritten: boolean,
  spoil: (host: Host) => Host,
): Promise<void> {
  const keys = [...sample.idOf.keys()];
  const fuzzed = { ...sample, files: [file], isForged: true, isWritten, keys };
  const wrong = await judgeFuzzed(fuzzed, spoil).catch((error: unknown) => {
    if (error instanceof Violation) return error.message;
    throw error;
  });
  if (wrong === undefined) return;
  const who = isWritten ? "a writer" : "a reader";
  throw new Violation(
    `${wrong}\n${who} of a store whose file ${file.path} has the name ${JSON.stringify(name)}:\n` +
      file.bytes.toString("utf8").replace(/ {9,}/g, " … "),
  );
}

/** The control: whoever reads a file also looks where the ids and names in it lead. */
export function followingNames(host: Host): Host {
  return hostWithAlteredFiles(host, (file) => ({
    read: async (into, position) => {
      const length = await file.read(into, position);
      for (const [, name] of into.toString("utf8", 0, length).matchAll(/"(?:id|session|name)":"([^"]+)"/g))
        await host.files.stat(`${DIRECTORY}/segments/${name}`);
      return length;
    },
  }));
}
