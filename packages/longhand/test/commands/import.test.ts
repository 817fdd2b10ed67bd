import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openStore, type SessionInfo, type SessionRecord, type Store } from "@longhand/store";
import { pinMessage } from "@longhand/store/context";
import { type Longhand, nothing, say, withHome } from "../support/with-home.ts";

/** `k` with every kind of record: cut, compacted, undone, named, noted, pinned, with a tool call. */
async function everything(store: Store): Promise<void> {
  const session = store.session("k");
  await session.setTitle("A title");
  await session.setTags(["work", "2026"]);
  await say(store, "k", "zero", "one\u001b[2J\n“two”");
  const toolCalls = [{ id: "c1", name: "list_dir", arguments: { path: "." } }];
  await session.append([
    { role: "assistant", content: "", toolCalls, usage: { inputTokens: 3, outputTokens: 4 } },
    { role: "tool", toolCallId: "c1", content: [{ type: "text", text: "a.txt" }] },
  ]);
  await session.note("adapter", { offset: 12 });
  await say(store, "k", "undone");
  await session.rewind({ messages: 1 });
  await say(store, "k", "three");
  const { seq } = await session.compact({ summary: "They said zero.", keepFrom: 4 });
  await say(store, "k", "four");
  await session.undoCut(seq);
  await session.compact({ summary: "They said zero, again.", keepFrom: 4 });
  await pinMessage(session, 3);
  await say(store, "k", "five");
}

interface Read {
  readonly messages: readonly unknown[];
  readonly records: readonly SessionRecord[];
  readonly info: SessionInfo | undefined;
}

async function readSession(sessions: string, key: string): Promise<Read> {
  const store = await openStore(sessions, { readOnly: true });
  const session = store.session(key);
  const records: SessionRecord[] = [];
  for await (const record of session.records()) records.push(record);
  const read = { messages: await session.messages(), records, info: await session.state() };
  await store.close();
  return read;
}

const facts = (info: SessionInfo | undefined): unknown => {
  const { seq, count, summary, title, tags, created, updated, status } = info ?? ({} as SessionInfo);
  return { seq, count, summary, title, tags, created: created.slice(0, 10), updated, status };
};

async function exported(longhand: Longhand, name: string, key = "k"): Promise<void> {
  expect((await longhand(`export ${key} -o ${name}`)).exitCode).toBe(0);
}

describe("import", () => {
  test("takes the place of the empty session that a killed import leaves behind", async () => {
    await withHome(everything, async (longhand, home, sessions) => {
      const file = join(home, "talk.jsonl");
      await exported(longhand, file);
      const { records } = await readSession(sessions, "k");
      const store = await openStore(sessions);
      await store
        .session("empty")
        .lock()
        .then(async (lock) => await lock[Symbol.asyncDispose]());
      await store.close();
      expect((await longhand(`import ${file} --as empty`)).exitCode).toBe(0);
      expect((await readSession(sessions, "empty")).records).toHaveLength(records.length);
    });
  });

  test("of a JSONL export gives the same session back", async () => {
    await withHome(everything, async (longhand, home, sessions) => {
      const file = join(home, "talk.jsonl");
      await exported(longhand, file);
      const before = await readSession(sessions, "k");
      await longhand("delete k --forever --yes");
      const { exitCode, stdout, stderr } = await longhand(`import ${file}`);
      expect([exitCode, stderr]).toEqual([0, ""]);
      expect(stdout).toBe(
        `Imported k from ${file}: 16 records, 6 messages in the view.\nTo read it: longhand show k\n`,
      );
      const after = await readSession(sessions, "k");
      expect(after.records).toEqual(before.records);
      expect(after.messages).toEqual(before.messages);
      expect(facts(after.info)).toEqual(facts(before.info));
      expect((await longhand("verify")).exitCode).toBe(0);
      expect((await longhand("show k --all")).stdout).toContain("#3 · pinned");
      expect((await longhand("append k six")).exitCode).toBe(0);
    });
  });

  test("over a pipe, into another store", async () => {
    await withHome(everything, async (longhand, home, sessions) => {
      const input = (await longhand("export k --format jsonl")).stdout;
      const other = join(home, "other");
      expect((await longhand(`import - --sessions ${other}`, { input })).exitCode).toBe(0);
      expect((await readSession(other, "k")).records).toEqual((await readSession(sessions, "k")).records);
    });
  });

  test("of a JSON export gives the view, summary, title and tags, and says what is not in it", async () => {
    await withHome(everything, async (longhand, home, sessions) => {
      const file = join(home, "talk.json");
      await exported(longhand, file);
      const { stdout } = await longhand(`import ${file} --as copy`);
      expect(stdout).toContain("times, notes and cut messages are not in it");
      const [before, after] = [await readSession(sessions, "k"), await readSession(sessions, "copy")];
      expect(after.messages).toEqual(before.messages);
      expect(after.info).toMatchObject({
        count: 6,
        summary: "They said zero, again.",
        title: "A title",
        tags: ["work", "2026"],
      });
      const compact = JSON.stringify(JSON.parse(await readFile(file, "utf8")));
      await writeFile(file, compact);
      expect((await longhand(`import ${file} --as reformatted`)).exitCode).toBe(0);
    });
  });

  test("a second time says that the session exists, and changes nothing; --as gives it another key", async () => {
    await withHome(everything, async (longhand, home, sessions) => {
      const file = join(home, "talk.jsonl");
      await exported(longhand, file);
      const before = await readSession(sessions, "k");
      for (const options of ["", " --dry-run"]) {
        const { exitCode, stdout, stderr } = await longhand(`import ${file}${options}`);
        expect([exitCode, stdout]).toEqual([1, ""]);
        expect(stderr).toContain("the session k exists; nothing was written");
        expect(stderr).toContain(`longhand import ${file} --as KEY`);
      }
      const json = await longhand(`import ${file} --json`);
      expect(JSON.parse(json.stderr)).toMatchObject({
        error: { code: "SESSION_EXISTS", detail: { key: "k" } },
      });
      expect(await readSession(sessions, "k")).toEqual(before);
      await longhand("archive k");
      expect((await longhand(`import ${file}`)).stderr).toContain("exists (archived)");
      const copied = await longhand(`import ${file} --as copy --json`);
      expect(JSON.parse(copied.stdout)).toEqual({
        ...{ key: "copy", file, format: "jsonl", dryRun: false },
        ...{ seq: 16, count: 6, records: 16, missing: 0, unknown: 0, renumbered: false },
      });
      expect((await readSession(sessions, "copy")).messages).toEqual(before.messages);
    });
  });

  test("--dry-run checks everything and makes no store", async () => {
    await withHome(everything, async (longhand, home) => {
      const file = join(home, "talk.jsonl");
      await exported(longhand, file);
      const other = join(home, "other");
      const { exitCode, stdout } = await longhand(`import ${file} --dry-run --sessions ${other}`);
      expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^Would import k .*16 records/)]);
      expect(stdout).toContain(`To import it: longhand import ${file} --sessions ${other}`);
      expect(await readdir(home)).not.toContain("other");
    });
  });

  test("of an export without its first line needs --as", async () => {
    await withHome(everything, async (longhand, home, sessions) => {
      const file = join(home, "all.jsonl");
      await writeFile(file, (await longhand("show k --all --json")).stdout);
      const { exitCode, stderr } = await longhand(`import ${file}`);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining("--as KEY")]);
      expect((await longhand(`import ${file} --as copy`)).exitCode).toBe(0);
      expect((await readSession(sessions, "copy")).records).toEqual(
        (await readSession(sessions, "k")).records,
      );
    });
  });

  test("of a session with lost records brings back the rest, numbered anew, pins with it", async () => {
    await withHome(
      async (store) => {
        await say(store, "k", "one", "two", "three", "four");
        await store.session("k").setSummary("so far");
        await pinMessage(store.session("k"), 4);
      },
      async (longhand, home, sessions) => {
        const spoiled = join(sessions, "k.jsonl");
        await writeFile(spoiled, (await readFile(spoiled, "utf8")).replace('"two"', '"TWO"'));
        await longhand("repair --yes");
        const file = join(home, "talk.jsonl");
        await exported(longhand, file);
        const { stdout } = await longhand(`import ${file} --as copy`);
        expect(stdout).toContain(
          "1 record of the session is not in the export; the others are numbered anew.",
        );
        const copy = await readSession(sessions, "copy");
        expect(copy.messages).toMatchObject([{ content: "one" }, { content: "three" }, { content: "four" }]);
        expect(copy.info).toMatchObject({ summary: "so far", seq: 5 });
        expect((await longhand("show copy")).stdout).toMatch(/#3 · pinned/);
      },
    );
  });
});

describe("a file that is wrong is refused, and nothing is written", () => {
  const head = '{"type":"session","key":"k","seq":2,"count":2}';
  const record = (seq: number, rest = '"message":{"role":"user","content":"x"}'): string =>
    `{"seq":${seq},"at":"2026-11-15T12:00:00.000Z",${rest}}`;

  test.each([
    ["a broken line", `${head}\n${record(1)}\n{"seq":2,`, "line 3 of FILE is not valid JSON"],
    ["a broken first line", `{"type":\n${record(1)}`, "line 1 of FILE is not valid JSON"],
    [
      "a line that is no record",
      `${record(1)}\n{"role":"user","content":"x"}`,
      "line 2 of FILE is not a record",
    ],
    ["an end that is missing", `${head}\n${record(1)}`, "incomplete: it ends with record 1 of 2"],
    ["two sessions", `${head}\n${record(1)}\n${head}`, "line 3 of FILE begins another session"],
    [
      "a wrong message",
      `${head}\n${record(1)}\n${record(2, '"message":{"role":"boss","content":""}')}`,
      "record 2",
    ],
    [
      "an unknown operation",
      `${head}\n${record(1)}\n${record(2, '"op":"odd"')}`,
      "record 2 is of no known kind",
    ],
    [
      "a time that is none",
      record(1).replace("2026-11-15T12:00:00.000Z", "soon"),
      "record 1 has no valid time",
    ],
    ["a flag that contradicts the records", record(1).replace("}}", '},"live":false}'), "lacks records"],
    ["a store's own file", '{"longhand":1,"key":"k"}\n', "header of a store's own file"],
    ["Markdown", "# k\n\nSession `k`\n", "Markdown cannot be imported"],
    ["an empty file", "", "is no export"],
    ["a document without messages", '{"info":{"key":"k"},"messages":[\n]}', "has no records"],
    ["a JSON document with a wrong message", '{"info":{"key":"k"},"messages":[7]}', "record 1"],
  ])("%s", async (_name, text, expected) => {
    await withHome(
      async (store) => say(store, "other", "x"),
      async (longhand, home, sessions) => {
        const file = join(home, "talk.jsonl");
        await writeFile(file, text);
        const before = await readdir(sessions);
        const { exitCode, stdout, stderr } = await longhand(`import ${file} --as k`);
        expect([exitCode, stdout]).toEqual([2, ""]);
        expect(stderr).toContain(expected.replace("FILE", file));
        expect((await longhand("list --json")).stdout).not.toContain('"key":"k"');
        expect(await readdir(sessions)).toEqual(before);
        const json = await longhand(`import ${file} --as k --json`);
        expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: "INPUT_INVALID" } });
      },
    );
  });

  test("a file that cannot be read is FILE_FAILED; one that is not UTF-8 INPUT_INVALID", async () => {
    await withHome(
      async (store) => say(store, "other", "x"),
      async (longhand, home) => {
        const missing = await longhand("import nowhere.jsonl");
        expect([missing.exitCode, missing.stderr]).toEqual([1, expect.stringContaining("could not be read")]);
        await mkdir(join(home, "directory"));
        expect((await longhand("import directory")).exitCode).toBe(1);
        await writeFile(join(home, "binary"), Uint8Array.of(0x7b, 0xff, 0xfe));
        const binary = await longhand("import binary");
        expect([binary.exitCode, binary.stderr]).toEqual([2, expect.stringContaining("not UTF-8")]);
      },
    );
  });
});

test("a file that cannot be read is named once, with the reason in plain words", async () => {
  await withHome(nothing, async (longhand, home) => {
    expect((await longhand(`import ${home}`)).stderr).toBe(
      `longhand: ${home} could not be read: it is a directory\n`,
    );
    expect((await longhand(`import ${home}/none.jsonl`)).stderr).toBe(
      `longhand: ${home}/none.jsonl could not be read: no such file or directory\n`,
    );
  });
});
