/**
 * examples/reader.py, a second reader of what docs/format.md describes, finds what the library finds: the same records, view and
 * damage, with the same reasons, in the golden store, in stores of every operation, in a thousand of which a line was edited, and in edited ones
 * with the journal of a dead writer.
 */

import { execFile, spawnSync } from "node:child_process";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test, type TestContext } from "vitest";
import { openStore, type Store } from "../../src/index.ts";
import { SeededRandom } from "../../src/testing/index.ts";
import { leaveOut } from "../support/leave-out.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";
import { editStore } from "./support/edit-store.ts";
import { writeEveryOperation } from "./support/write-every-operation.ts";

const READER = fileURLToPath(new URL("../../../../examples/reader.py", import.meta.url));
const GOLDEN = fileURLToPath(new URL(".", import.meta.url));
const EDITED = 1000;
const EDITED_AFTER_CRASH = 200;
const AT_ONCE = 100;

let directory: string;

beforeEach(async (context: TestContext) => {
  if (spawnSync("python3", ["--version"]).status !== 0) leaveOut(context.skip, "there is no python3");
  directory = await makeTemporaryDirectory();
});

afterEach(async () => {
  await removeDirectory(directory);
});

/** A session as both tell it. Of one that its key does not lead to, only the state. */
interface SeenSession {
  readonly state: unknown;
  readonly records: readonly unknown[] | undefined;
  readonly live: readonly string[] | undefined;
}

interface Seen {
  readonly sessions: ReadonlyMap<string, SeenSession>;
  /** File, offset and reason. */
  readonly damage: readonly string[];
}

const KNOWN = new Set(["summary", "truncate", "compact", "rewind", "reset", "meta", "note"]);

/** What `records()` tells of a record; what else its line holds is for readers of lines. */
function surface(record: Record<string, unknown>): unknown {
  const { seq, at, message, op } = record;
  if (message !== undefined) return { seq, at, message };
  if (typeof op !== "string" || !KNOWN.has(op)) return { seq, at, op: "unknown" };
  const fields = ["summary", "keepFrom", "to", "title", "tags", "kind", "data"];
  return {
    ...{ seq, at, op },
    ...Object.fromEntries(fields.filter((name) => name in record).map((name) => [name, record[name]])),
  };
}

async function readByPython(stores: readonly string[]): Promise<Seen[]> {
  const { stdout } = await promisify(execFile)("python3", [READER, ...stores], { maxBuffer: 2 ** 30 });
  const seen: {
    sessions: Map<string, { state: unknown; records: unknown[]; live: string[] }>;
    damage: string[];
  }[] = [];
  for (const line of stdout.split("\n").filter((text) => text !== "")) {
    const { store, session, of, live, record, damage, offset, reason, ...state } = JSON.parse(line) as Record<
      string,
      unknown
    >;
    const last = seen.at(-1);
    if (typeof store === "string") seen.push({ sessions: new Map(), damage: [] });
    else if (typeof session === "string") last?.sessions.set(session, { state, records: [], live: [] });
    else if (typeof of === "string") {
      const fields = record as Record<string, unknown>;
      last?.sessions.get(of)?.records.push(surface(fields));
      if (live === true) last?.sessions.get(of)?.live.push(JSON.stringify(fields["message"]));
    } else last?.damage.push(`${String(damage)} ${String(offset)}: ${String(reason)}`);
  }
  return seen;
}

async function readByLibrary(where: string): Promise<Seen> {
  const quiet = { onDamage: () => undefined, onError: () => undefined, onForeign: () => undefined };
  const store = await openStore(where, { readOnly: true, ...quiet });
  const sessions = new Map<string, SeenSession>();
  for await (const info of store.list({ status: "any" })) {
    const { id, key, status, seq, count, summary, title, tags } = info;
    const state = { key, status, seq, count, summary, title: title ?? null, tags };
    sessions.set(id, { state, ...(await readSession(store, key, id)) });
  }
  const { damage } = await store.verify();
  await store.close();
  const places = damage.map(({ file, offset, reason }) => `${relative(where, file)} ${offset}: ${reason}`);
  return { sessions, damage: [...new Set(places)] };
}

async function readSession(store: Store, key: string, id: string): Promise<Omit<SeenSession, "state">> {
  const session = store.session(key);
  if ((await session.state())?.id !== id) return { records: undefined, live: undefined };
  const records: unknown[] = [];
  for await (const record of session.records())
    records.push(surface(record as unknown as Record<string, unknown>));
  const live = (await session.messages()).map((message) => JSON.stringify(message));
  return { records, live };
}

/** What they disagree on, in words. */
function differences(python: Seen | undefined, library: Seen): string[] {
  const told: string[] = [];
  const differ = (what: string, one: unknown, other: unknown): void => {
    if (JSON.stringify(one) !== JSON.stringify(other))
      told.push(`${what}:\n  python  ${JSON.stringify(one)}\n  library ${JSON.stringify(other)}`);
  };
  differ("sessions", [...(python?.sessions.keys() ?? [])].sort(), [...library.sessions.keys()].sort());
  differ("damage", python?.damage.toSorted(), library.damage.toSorted());
  for (const [id, { state, records, live }] of library.sessions) {
    const other = python?.sessions.get(id);
    differ(`state of ${id}`, other?.state, state);
    if (records !== undefined) differ(`records of ${id}`, other?.records, records);
    if (live !== undefined) differ(`view of ${id}`, other?.live, live);
  }
  return told;
}

test("the golden store, whole and crashed", async () => {
  const journals = join(directory, "crashed/.longhand/journal");
  await mkdir(join(directory, "expected"), { recursive: true });
  await mkdir(journals, { recursive: true });
  const name = "telegram_123456~fxsbshszh569xrm6.jsonl";
  await cp(join(GOLDEN, "expected.jsonl"), join(directory, "expected", name));
  await cp(join(GOLDEN, "crashed.jsonl"), join(directory, "crashed", name));
  await cp(join(GOLDEN, "crashed.journal"), join(journals, "01M7GARMG0CHJ68S34CHJ68S34.journal"));
  await writeFile(join(journals, "01M7GARMG0CHJ68S34CHJ68S34.fence"), "");
  const stores = ["expected", "crashed"].map((each) => join(directory, each));
  const python = await readByPython(stores);
  for (const [index, store] of stores.entries()) {
    expect(differences(python[index], await readByLibrary(store))).toEqual([]);
    expect([...(python[index]?.sessions.values() ?? [])][0]?.records).toHaveLength(22);
  }
});

test("stores of every operation", async () => {
  const stores = [0, 3, 9].map((variant) => join(directory, String(variant)));
  for (const [index, store] of stores.entries()) await writeEveryOperation(store, [0, 3, 9][index] ?? 0);
  const python = await readByPython(stores);
  for (const [index, store] of stores.entries()) {
    expect(differences(python[index], await readByLibrary(store))).toEqual([]);
    expect(python[index]?.damage).toEqual([]);
  }
});

test(`${EDITED} edited stores`, async () => {
  await writeEveryOperation(join(directory, "base"), 2);
  // The control: most edits are damage, and both have said so.
  expect(await compareEdited(EDITED)).toBeGreaterThan(EDITED / 2);
});

test(`${EDITED_AFTER_CRASH} edited stores whose writer has died: what of its journal fits the files`, async () => {
  await writeAndDie(join(directory, "base"));
  // The control: many edits the journal makes good, both say so, and of many others both find damage.
  const damaged = await compareEdited(EDITED_AFTER_CRASH);
  expect(damaged).toBeGreaterThan(EDITED_AFTER_CRASH / 5);
  expect(damaged).toBeLessThan((EDITED_AFTER_CRASH * 4) / 5);
});

test("stores whose writer has died, with damaged blocks in its journal", async () => {
  const stores: string[] = [];
  await writeAndDie(join(directory, "base"));
  for (let block = 1; block <= 12; block++) {
    const store = join(directory, String(block));
    await cp(join(directory, "base"), store, { recursive: true });
    // Nothing but the headers: all the rest is in the journal.
    for (const key of ["a", "b"]) {
      const path = join(store, `${key}.jsonl`);
      const text = await readFile(path, "utf8");
      await writeFile(path, text.slice(0, text.indexOf("\n") + 1));
    }
    for (const damaged of [block, block % 3 === 0 ? block + 2 : block]) await damageBlock(store, damaged);
    stores.push(store);
  }
  const python = await readByPython(stores);
  for (const [index, store] of stores.entries()) {
    expect(differences(python[index], await readByLibrary(store))).toEqual([]);
    const damage = python[index]?.damage.join() ?? "";
    // The last blocks may have been cut short by a crash.
    if (index < 10) expect(damage).toMatch(/blocks? .* damaged/);
  }
});

async function damageBlock(store: string, number: number): Promise<void> {
  const journals = join(store, ".longhand/journal");
  const name = (await readdir(journals)).find((each) => each.endsWith(".journal")) ?? "";
  const bytes = await readFile(join(journals, name));
  bytes.write("!!!!", bytes.indexOf(`"block":${number},`) + 200);
  await writeFile(join(journals, name), bytes);
}

/** A copy of a store that is open for writing, with the mark that its writer is dead. */
async function writeAndDie(copy: string): Promise<void> {
  const store = await openStore(join(directory, "open"));
  for (let number = 1; number <= 6; number++) {
    await store.session("a").append({ role: "user", content: `message ${number}` });
    await store.session("b").append([
      { role: "user", content: `question ${number}` },
      { role: "assistant", content: `answer ${number}` },
    ]);
  }
  await store.session("a").fork("c");
  for (const key of ["a", "c"]) await store.session(key).append({ role: "user", content: "more" });
  await cp(join(directory, "open"), copy, { recursive: true, filter: (name) => !name.endsWith(".sock") });
  await store.close();
  const journals = join(copy, ".longhand/journal");
  for (const name of (await readdir(journals)).filter((each) => each.endsWith(".journal")))
    await writeFile(join(journals, name.replace(".journal", ".fence")), "");
}

/** Edits copies of the store "base", and compares what both readers find in them. Answers with how many are damaged. */
async function compareEdited(count: number): Promise<number> {
  const random = new SeededRandom(Number(process.env["LONGHAND_TEST_SEED"] ?? 1));
  const wrong: string[] = [];
  let damaged = 0;
  for (let first = 0; first < count; first += AT_ONCE) {
    const edited: { store: string; what: string }[] = [];
    for (let number = first; number < first + AT_ONCE; number++) {
      const store = join(directory, String(number));
      await cp(join(directory, "base"), store, { recursive: true });
      edited.push({ store, what: await editStore(store, random) });
    }
    const python = await readByPython(edited.map(({ store }) => store));
    for (const [index, { store, what }] of edited.entries()) {
      const library = await readByLibrary(store);
      if (library.damage.length > 0) damaged++;
      const told = differences(python[index], library);
      if (told.length > 0) wrong.push(`${store}, ${what}\n${told.join("\n")}`);
      else await removeDirectory(store);
    }
  }
  expect(wrong.slice(0, 5)).toEqual([]);
  return damaged;
}
