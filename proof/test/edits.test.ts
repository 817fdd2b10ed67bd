import { expect, test } from "vitest";
import { crashedStores } from "../edits/crashed-stores.ts";
import { editedStores } from "../edits/edited-stores.ts";
import { everyFileEdit } from "../edits/file-edits.ts";
import { judgeEdit, knowledgeOf } from "../edits/judge-edit.ts";
import { applyEdits, everyEdit, type LineEdit } from "../edits/line-edits.ts";
import { judgeMixing } from "../edits/judge-mixing.ts";
import { bytesOf, lineFilesOf, linesOf } from "../edits/line-files.ts";
import { everyMixing, otherHistories } from "../edits/other-histories.ts";
import { edits } from "../edits/part.ts";
import { writtenLines } from "../edits/written-lines.ts";
import { Violation, type Findings } from "../part.ts";

const STORES = await editedStores();
const FILES = STORES.flatMap(lineFilesOf);
const ignored: Findings = { count: () => undefined, distinct: () => undefined, note: () => undefined };

test("the control finds a checkpoint that is believed where it was not written", async () => {
  await expect(edits.control(ignored)).rejects.toBeInstanceOf(Violation);
});

test("the stores have lines and files of every kind", () => {
  const text = FILES.flatMap(({ lines }) => lines.map(String)).join("");
  for (const kind of [
    '{"checkpoint":',
    '"before":"',
    '{"lost":',
    '"batch":[2,4]',
    '"op":"rewind"',
    '"chain":[',
  ])
    expect(text).toContain(kind);
  const paths = FILES.map(({ file }) => file.path).join("\n");
  for (const kind of ["/segments/", ".jsonl.gz", "/archive/", "/trash/"]) expect(paths).toContain(kind);
  expect(FILES.some(({ file }) => file.owners.size > 1)).toBe(true);
  const old = STORES.find(({ name }) => name === "earlier version");
  expect(old?.files.some(({ bytes }) => bytes.includes('{"checkpoint":'))).toBe(true);
  expect(old?.files.some(({ bytes }) => bytes.includes('"before":"'))).toBe(false);
});

test("edits do what they say", () => {
  const lines = ["a\n", "b\n", "c\n"].map((line) => Buffer.from(line));
  const [target] = FILES;
  if (target === undefined) throw new Error("no file");
  const edited = (edit: LineEdit): string =>
    Buffer.concat(applyEdits({ target: { ...target, lines }, edits: [edit] })).toString();
  expect(edited({ kind: "remove", line: 1 })).toBe("a\nc\n");
  expect(edited({ kind: "glue", line: 0 })).toBe("ab\nc\n");
  expect(edited({ kind: "copy", line: 0, to: 3 })).toBe("a\nb\nc\na\n");
  expect(edited({ kind: "copy-glued", line: 2, to: 0 })).toBe("ca\nb\nc\n");
  expect(edited({ kind: "move", line: 0, to: 3 })).toBe("b\nc\na\n");
  expect(edited({ kind: "move", line: 2, to: 0 })).toBe("c\na\nb\n");
  expect(edited({ kind: "swap", line: 0, to: 2 })).toBe("c\nb\na\n");
  expect(edited({ kind: "overwrite", line: 0, to: 2 })).toBe("a\nb\na\n");
  expect(edited({ kind: "append", other: target, count: 0 })).toBe("a\nb\nc\n");
});

test("every kind of edit is among all of them, in every store; and there are enough edits of files", () => {
  const kinds = new Map<string, Set<string>>();
  for (const { target, edits: done } of everyEdit(FILES)) {
    const found = kinds.get(target.store.name) ?? new Set();
    kinds.set(target.store.name, found);
    for (const { kind } of done) found.add(kind);
  }
  expect(kinds.size).toBe(STORES.length);
  for (const found of kinds.values()) expect(found.size).toBeGreaterThanOrEqual(8);
  expect([...everyFileEdit(STORES)].length).toBeGreaterThanOrEqual(edits.counts["file edits"] ?? 0);
});

test("a record that disappears without a report is a violation, and so is one that a repair drops", async () => {
  const [target] = FILES;
  if (target === undefined) throw new Error("no file");
  const { store, file } = target;
  // The last record is gone, and so are its checkpoints: nobody can tell. Where a record before it is served no more, somebody must.
  const records = linesOf(file.bytes).filter((line) => !line.includes('{"checkpoint":'));
  const shortened = new Map([[file.path, bytesOf(target, records.slice(0, -1))]]);
  const wrong = await judgeEdit({ store, changed: shortened, isMany: false }, knowledgeOf(store), "nobody");
  expect(wrong).toBe("records are missing, and verify does not report it");
});

test("the stores of killed writers have records in no journal, in journal and file, in the journal alone, and in sealed files", async () => {
  const stores = await crashedStores();
  const kinds = new Set<string>();
  for (const store of stores) {
    const files = new Map(store.files.map(({ path, bytes }) => [path, bytes]));
    for (const { path, raw, isJournaled } of writtenLines(store)) {
      const isApplied = path.endsWith(".gz") || files.get(path)?.includes(raw) === true;
      const where = path.includes("/segments/") ? (path.endsWith(".gz") ? "compressed" : "sealed") : "active";
      kinds.add(`${isJournaled ? "journal" : "no journal"}, ${isApplied ? where : "no file"}`);
    }
  }
  expect([...kinds].sort()).toEqual([
    "journal, active",
    "journal, compressed",
    "journal, no file",
    "journal, sealed",
    "no journal, active",
    "no journal, compressed",
    "no journal, sealed",
  ]);
});

test("a newline that is removed before a recovery costs no record, in any file of a killed writer", async () => {
  for (const target of (await crashedStores()).flatMap(lineFilesOf)) {
    const known = knowledgeOf(target.store);
    for (let line = 0; line < target.lines.length; line++) {
      const edit: LineEdit = { kind: "glue", line };
      const changed = new Map([[target.file.path, bytesOf(target, applyEdits({ target, edits: [edit] }))]]);
      const edited = { store: target.store, changed, isMany: false };
      expect(await judgeEdit(edited, known, "repair"), `line ${line} of ${target.file.path}`).toBe(undefined);
    }
  }
});

test("another history goes on from every record of a session, and its lines come into every position", async () => {
  for (const store of await crashedStores()) {
    const histories = await otherHistories(store);
    for (const { target, other } of histories) {
      const ids = other.lines.map((line) => target.lines.some((each) => each.equals(line)));
      expect(ids).toEqual([false, false, false]);
    }
    const of = histories.filter(({ target }) => target.file.path.endsWith("/a.jsonl"));
    expect(of.length).toBeGreaterThan(5);
  }
});

test("a repair that does something else than verify has said is a violation", async () => {
  const [store] = await crashedStores();
  const [history] = store === undefined ? [] : await otherHistories(store);
  const mixings = history === undefined ? [] : [...everyMixing(history)];
  const told = await Promise.all(mixings.slice(0, 9).map(async (mixing) => await judgeMixing(mixing, [])));
  expect(told.filter((wrong) => wrong?.startsWith("verify says 0 mendable") === true).length).toBeGreaterThan(
    3,
  );
});
