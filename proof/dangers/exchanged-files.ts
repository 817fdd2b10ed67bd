/**
 * One session's bytes in another's place: each file under the name of each other, and each line of one behind the lines of
 * each other, as a restored backup, an editor or a file system may leave them. Nobody may read another's words there.
 */

import { buildSample, message, type SampleFile, type SampleStore } from "../damage/sample-store.ts";
import { judgeFuzzed } from "../fuzz/judge-fuzzed.ts";
import { sealAgain } from "../fuzz/sealed-line.ts";
import { Violation } from "../part.ts";

/** So small that most sessions have a sealed file. */
const SEGMENT_BYTES = 400;
const NEWLINE = "\n";

export async function searchExchangedFiles(): Promise<number> {
  const sample = await makeSample();
  let moments = 0;
  for (const file of sample.files) {
    for (const other of sample.files) {
      if (file === other || !isSameKind(file, other)) continue;
      const lines = other.path.endsWith(".jsonl") ? linesOf(other).slice(1) : [];
      const exchanged = [other.bytes, ...lines.map((line) => Buffer.concat([file.bytes, line]))];
      for (const bytes of exchanged) {
        const isWritten = moments++ % 2 === 1;
        await judge(sample, { ...file, bytes }, `${file.path}, with bytes of ${other.path}`, isWritten);
      }
    }
  }
  return moments;
}

/** The control: the file of one says in every line that it is the other's. No store can see that. */
export async function judgeForgedOwner(): Promise<void> {
  const sample = await makeSample();
  const [file, other] = sample.files.filter(({ path }) => path.endsWith(".jsonl"));
  if (file === undefined || other === undefined) throw new Error("there are no two session files");
  const owner = ownerOf(sample, file);
  const impostor = ownerOf(sample, other);
  const lines = linesOf(other).map((line, index) => {
    const text = line.toString("utf8").trimEnd().replace(impostor.id, owner.id);
    const named = text.replace(`"key":"${impostor.key}"`, `"key":"${owner.key}"`);
    return Buffer.concat([sealAgain(Buffer.from(named), index === 0 ? "" : owner.id), Buffer.from(NEWLINE)]);
  });
  await judge(sample, { ...file, bytes: Buffer.concat(lines) }, `${file.path}, forged`, false);
}

async function makeSample(): Promise<SampleStore> {
  const options = { seed: 1, segmentBytes: SEGMENT_BYTES };
  const sample = await buildSample("exchanged files", options, async ({ store }) => {
    for (const key of ["one", "two", "three"]) {
      const session = store.session(key);
      await session.append(message(`${key}: first words`));
      await session.append([message(`${key}: a batch`), message(`${key}: of two`)]);
      if (key !== "three") await session.append(message(`${key}: ${"long ".repeat(100)}`));
      await session.append(message(`${key}: last words`));
    }
    await store.reclaim();
    await store.session("two").archive();
  });
  return { ...sample, files: sample.files.filter(({ owners }) => owners.size === 1) };
}

function isSameKind(one: SampleFile, other: SampleFile): boolean {
  return one.path.split(".").at(-1) === other.path.split(".").at(-1);
}

function linesOf({ bytes }: SampleFile): readonly Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, from) + 1;
    lines.push(bytes.subarray(from, end));
    from = end;
  }
  return lines;
}

function ownerOf({ originals }: SampleStore, { owners }: SampleFile): { key: string; id: string } {
  const [id = ""] = owners;
  const original = originals.get(id);
  if (original === undefined) throw new Error(`there is no session ${id}`);
  return original;
}

async function judge(
  { capture, originals, idOf }: SampleStore,
  file: SampleFile,
  what: string,
  isWritten: boolean,
): Promise<void> {
  const keys = [...idOf.keys()];
  const fuzzed = { capture, files: [file], originals, idOf, isForged: false, isWritten, keys };
  const wrong = await judgeFuzzed(fuzzed);
  if (wrong !== undefined) throw new Violation(`${what}: ${wrong}`);
}
