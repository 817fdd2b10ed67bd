/** What the json backend promises about its files: whole, private, apart, and never over what it cannot read. */

import { chmod, copyFile, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jsonBackend } from "../../src/backends/json/json-backend.ts";
import type { Host, OpenFile } from "../../src/host/host.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { openStore } from "../../src/open-store.ts";
import type { Message } from "../../src/format/message.ts";
import type { Damage } from "../../src/format/session-record.ts";
import type { Store, StoreOptions } from "../../src/contract/types.ts";
import { failingHost } from "../../src/testing/failing-host.ts";
import { fillDisk, type Fault, type FaultPlan } from "../../src/testing/fault-plan.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let directory: string;
let damage: Damage[];

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  damage = [];
});

afterEach(async () => {
  await removeDirectory(directory);
});

const open = async (host: Host = nodeHost, options: StoreOptions = {}): Promise<Store> =>
  await openStore(jsonBackend(directory, { host }), { onDamage: (each) => damage.push(each), ...options });

const user = (content: string): Message => ({ role: "user", content });

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function contentsIn(store: Store, key: string): Promise<unknown[]> {
  return (await store.session(key).messages()).map(({ content }) => content);
}

async function parsed(name: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(directory, name), "utf8")) as Record<string, unknown>;
}

describe("atomicity", () => {
  const KEY = "telegram:1";
  const CONTENTS = ["one", "two", "three"];

  /** Each state in which a kill or a power cut may leave the disk, that is not what was acknowledged or a little more. */
  async function violationsWith(weaken: (host: Host) => Host): Promise<string[]> {
    const machine = new SimulatedMachine();
    const backend = (host: Host): ReturnType<typeof jsonBackend> => jsonBackend("/home/sessions", { host });
    let acknowledged = 0;
    const moments: { capture: ReturnType<SimulatedMachine["capture"]>; acknowledged: number }[] = [];
    const remember = (): void => void moments.push({ capture: machine.capture(), acknowledged });
    machine.onOperation(({ changedDisk }) => {
      if (changedDisk) remember();
    });
    const store = await openStore(backend(weaken(machine.startProcess())));
    for (const content of CONTENTS) {
      await store.session(KEY).append(user(content));
      acknowledged += 1;
      remember();
    }
    await store.close();
    const violations: string[] = [];
    for (const moment of moments) {
      for (const after of [moment.capture.afterKill(), ...moment.capture.afterPowerLoss()]) {
        const found: Damage[] = [];
        const again = await openStore(backend(after.startProcess()), {
          onDamage: (each) => found.push(each),
        });
        const seen = await contentsIn(again, KEY).catch(String);
        const isPrefix = Array.isArray(seen) && String(seen) === String(CONTENTS.slice(0, seen.length));
        if (!isPrefix || seen.length < moment.acknowledged || found.length > 0)
          violations.push(after.describe());
        await again.close();
      }
    }
    expect(moments.length).toBeGreaterThan(CONTENTS.length * 4);
    return violations;
  }

  const skipping =
    (part: "sync" | "syncDirectory") =>
    (host: Host): Host => ({
      user: host.user,
      processes: host.processes,
      now: () => host.now(),
      randomBytes: (length) => host.randomBytes(length),
      wait: async (milliseconds, background) => await host.wait(milliseconds, background),
      files: wrapFiles(host.files, part),
    });

  test("after a kill or a power cut at any moment, the old or the new file is there, and all that was acknowledged", async () => {
    expect(await violationsWith((host) => host)).toEqual([]);
  });

  test.each(["sync", "syncDirectory"] as const)("the control: without %s something is lost", async (part) => {
    expect((await violationsWith(skipping(part))).length).toBeGreaterThan(0);
  });

  const FAULTS: readonly (readonly [string, Fault["kind"], string, () => Fault])[] = [
    ["an input/output error", "error", "IO_FAILED", () => ({ kind: "error", code: "EIO" })],
    ["a full disk", "error", "DISK_FULL", () => ({ kind: "error", code: "ENOSPC" })],
  ];

  test.each(FAULTS)(
    "%s at any call: the write fails or not, memory and disk agree, and the next write works",
    async (_name, _kind, code, fault) => {
      await (await open()).close();
      let failed = 0;
      for (let target = 1; ; target++) {
        let calls = 0;
        let isArmed = false;
        const host = failingHost(nodeHost, () => (isArmed && ++calls === target ? fault() : undefined));
        const key = `session ${target}`;
        const store = await open(host);
        await store.session(key).append(user("old"));
        isArmed = true;
        const outcome = await store
          .session(key)
          .append(user("new"), { id: "x" })
          .catch((error: unknown) => error);
        isArmed = false;
        if (host.faults === 0) {
          expect(failed).toBeGreaterThan(5);
          break;
        }
        failed += 1;
        expect(outcome).toMatchObject({ code });
        const onDisk = await open(nodeHost, { readOnly: true });
        const seen = await contentsIn(store, key);
        expect(await contentsIn(onDisk, key)).toEqual(seen);
        expect([["old"], ["old", "new"]]).toContainEqual(seen);
        expect(await store.session(key).append(user("new"), { id: "x" })).toEqual({ seq: 2 });
        await store.close();
        const again = await open();
        expect(await contentsIn(again, key)).toEqual(["old", "new"]);
        await again.close();
      }
      expect(damage).toEqual([]);
      expect((await readdir(directory)).filter((name) => !name.endsWith(".json"))).toEqual([]);
    },
  );

  test("a short write is written on; on a full disk it fails with DISK_FULL and the old file stays", async () => {
    let plan: FaultPlan = () => undefined;
    const host = failingHost(nodeHost, (call) => plan(call));
    const store = await open(host);
    await store.session("s").append(user("old"));
    plan = fillDisk(1, 7, true);
    await expect(store.session("s").append(user("new"))).rejects.toMatchObject({ code: "DISK_FULL" });
    let writes = 0;
    plan = ({ operation }) =>
      operation === "write" && ++writes <= 3 ? { kind: "short", bytes: 100 } : undefined;
    await store.session("s").append(user("whole"));
    expect(writes).toBeGreaterThan(3);
    await store.close();
    const again = await open();
    expect(await contentsIn(again, "s")).toEqual(["old", "whole"]);
    await again.close();
  });
});

function wrapFiles(files: Host["files"], skipped: "sync" | "syncDirectory"): Host["files"] {
  const wrapFile = (file: OpenFile): OpenFile => ({
    read: async (into, position) => await file.read(into, position),
    write: async (bytes, position) => await file.write(bytes, position),
    truncate: async (length) => await file.truncate(length),
    sync: async () => {
      if (skipped !== "sync") await file.sync();
    },
    stat: async () => await file.stat(),
    makePrivate: async () => await file.makePrivate(),
    close: async () => await file.close(),
  });
  return {
    open: async (path, mode) => wrapFile(await files.open(path, mode)),
    makeDirectory: async (path) => await files.makeDirectory(path),
    readDirectory: async (path) => await files.readDirectory(path),
    syncDirectory: async (path) => {
      if (skipped !== "syncDirectory") await files.syncDirectory(path);
    },
    rename: async (from, to) => await files.rename(from, to),
    link: async (from, to) => await files.link(from, to),
    unlink: async (path) => await files.unlink(path),
    removeDirectory: async (path) => await files.removeDirectory(path),
    typeAt: async (path) => await files.typeAt(path),
    stat: async (path) => await files.stat(path),
    resolve: async (path) => await files.resolve(path),
    checkWritable: async (path) => {
      await files.checkWritable(path);
    },
  };
}

describe("files", () => {
  test("promise 10: directories are 0700 and files 0600, also in place of a more open one", async () => {
    const place = join(directory, "made", "here");
    const store = await openStore(jsonBackend(place));
    await store.session("s").append(user("x"));
    await chmod(join(place, "s.json"), 0o644);
    await store.session("s").append(user("y"));
    await store.close();
    const mode = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
    expect(await mode(join(directory, "made"))).toBe(0o700);
    expect(await mode(place)).toBe(0o700);
    expect(await mode(join(place, "s.json"))).toBe(0o600);
  });

  test("what a crash left of an unfinished write is removed at the opening, and nothing else is", async () => {
    const leftover = `.longhand-${"0".repeat(26)}.tmp`;
    const others = ["session-123.tmp", "notes.txt", ".longhand-short.tmp"];
    for (const name of [leftover, ...others]) await writeFile(join(directory, name), "{");
    const reader = await open(nodeHost, { readOnly: true });
    await reader.close();
    expect((await readdir(directory)).sort()).toEqual([leftover, ...others].sort());
    await (await open()).close();
    expect((await readdir(directory)).sort()).toEqual([...others].sort());
  });

  test("a directory that anyone may write to is refused", async () => {
    await chmod(directory, 0o777);
    await expect(open()).rejects.toMatchObject({ code: "DIRECTORY_UNSAFE" });
    await chmod(directory, 0o700);
  });

  test("readOnly makes nothing, not even the directory", async () => {
    const place = join(directory, "nowhere");
    const store = await openStore(jsonBackend(place), { readOnly: true });
    expect(await contentsIn(store, "s")).toEqual([]);
    await store.close();
    expect(await readdir(directory)).toEqual([]);
  });

  test("older programs read the view; the log keeps what was cut", async () => {
    const store = await open();
    const session = store.session("s");
    await session.append([
      user("cut"),
      { role: "assistant", content: "", toolCalls: [{ id: "c", name: "ls", arguments: { path: "." } }] },
    ]);
    await session.append({ role: "tool", content: "a.md", toolCallId: "c" });
    await session.append({
      role: "assistant",
      content: [
        { type: "text", text: "one" },
        { type: "text", text: "two" },
      ],
      model: "m",
      reasoning: "r",
    });
    await session.truncate({ keepLast: 3 });
    await session.setSummary("sum");
    await store.close();
    const file = await parsed("s.json");
    expect(Object.keys(file)).toEqual([
      "key",
      "messages",
      "summary",
      "created",
      "updated",
      "longhand",
      "id",
      "log",
    ]);
    const at = expect.stringMatching(/^\d{4}-.*Z$/) as unknown;
    expect(file).toMatchObject({ key: "s", summary: "sum", longhand: 1 });
    expect(file["messages"]).toEqual([
      {
        created_at: at,
        role: "assistant",
        content: "",
        tool_calls: [{ id: "c", type: "function", function: { name: "ls", arguments: '{"path":"."}' } }],
      },
      { created_at: at, role: "tool", content: "a.md", tool_call_id: "c" },
      { created_at: at, role: "assistant", content: "one\ntwo", model_name: "m", reasoning_content: "r" },
    ]);
    expect(file["log"]).toHaveLength(6);
    expect(JSON.stringify(file["log"])).toContain('"cut"');
  });
});

describe("files of older programs", () => {
  const fixture = async (name: string): Promise<string> => {
    const path = join(directory, name);
    await copyFile(new URL(`../fixtures/legacy-json/${name}`, import.meta.url), path);
    return path;
  };

  test("a session is read with our names, its times, and every other field as it was", async () => {
    await fixture("discord_42.json");
    const store = await open(nodeHost, { readOnly: true });
    const session = store.session("discord:42");
    expect(await session.messages()).toEqual([
      user("How warm is it in Oslo & Bergen?"),
      {
        role: "assistant",
        content: "",
        model: "glm-5",
        reasoning: "Two places, two calls.",
        toolCalls: [
          { id: "call_0", name: "weather", arguments: { place: "Oslo" } },
          {
            id: "call_1",
            name: "weather",
            arguments: { place: "Bergen" },
            function: { thought_signature: "c2ln" },
            extra_content: { google: { thought_signature: "c2ln" } },
          },
        ],
      },
      { role: "tool", content: "<b>4°</b>", toolCallId: "call_0" },
      { role: "tool", content: "<b>7°</b>", toolCallId: "call_1" },
      { role: "assistant", content: "4° in Oslo, 7° in Bergen.", model: "glm-5" },
      {
        role: "user",
        content: "And this?",
        media: ["media://inbound/fjord.png"],
        attachments: [{ type: "image", ref: "media://inbound/fjord.png", filename: "fjord.png" }],
      },
    ]);
    expect(await session.state()).toMatchObject({
      key: "discord:42",
      count: 6,
      summary: "Likes short answers about the weather.",
      created: "2026-03-02T17:04:05.100Z",
      updated: "2026-03-02T17:09:59.000000001Z",
    });
    const first = (await collect(session.records({ last: 7 })))[0];
    expect(first?.at).toBe("2026-03-02T17:04:05.123456789Z");
    await store.close();
    expect(damage).toEqual([]);
  });

  test("a write keeps the file's name, its id, and the unknown fields of its messages", async () => {
    const path = await fixture("discord_42.json");
    await writeFile(
      path,
      (await readFile(path, "utf8")).replace('"key"', '"theme": {"dark": true},\n  "key"'),
    );
    const store = await open();
    const before = await store.session("discord:42").state();
    await store.session("discord:42").append(user("more"));
    await store.close();
    expect(await readdir(directory)).toEqual(["discord_42.json"]);
    const file = await parsed("discord_42.json");
    const original = JSON.parse(
      await readFile(new URL("../fixtures/legacy-json/discord_42.json", import.meta.url), "utf8"),
    ) as { messages: Record<string, unknown>[] };
    const messages = file["messages"] as Record<string, unknown>[];
    expect(messages[5]).toMatchObject(original.messages[5] ?? {});
    expect(messages[1]?.["tool_calls"]).toMatchObject([
      { id: "call_0", type: "function", function: { name: "weather", arguments: '{"place":"Oslo"}' } },
      {
        id: "call_1",
        function: { thought_signature: "c2ln" },
        extra_content: { google: { thought_signature: "c2ln" } },
      },
    ]);
    expect(file).toMatchObject({
      theme: { dark: true },
      id: before?.id,
      created: "2026-03-02T17:04:05.100Z",
    });
    const again = await open();
    expect((await again.session("discord:42").messages()).slice(0, 6)).toEqual(
      (await again.session("discord:42").messages({ last: 7 })).slice(0, 6),
    );
    expect(await again.session("discord:42").state()).toMatchObject({ count: 7, id: before?.id });
    await again.close();
  });

  test("an empty key means the file's name; zero times stay unknown; other keys keep theirs", async () => {
    await fixture("terminal.json");
    await fixture("matrix_!room_thread_1.json");
    const store = await open();
    const keys = (await collect(store.list({ order: "key" }))).map(({ key }) => key);
    expect(keys).toEqual(["matrix:!room/thread\\1", "terminal"]);
    expect(await store.session("terminal").state()).toMatchObject({
      count: 0,
      created: "0001-01-01T00:00:00.000Z",
    });
    expect(await contentsIn(store, "matrix:!room/thread\\1")).toEqual(["hei", "Hei!"]);
    await store.close();
  });

  test("a key whose own name an older file has gets another: no two keys share a file", async () => {
    await fixture("discord_42.json");
    const store = await open();
    await store.session("discord_42").append(user("another"));
    await store.session("discord:42").append(user("more"));
    await store.close();
    const again = await open();
    expect(await contentsIn(again, "discord_42")).toEqual(["another"]);
    expect(await contentsIn(again, "discord:42")).toHaveLength(7);
    await again.close();
    expect(await readdir(directory)).toHaveLength(2);
    expect(damage).toEqual([]);
  });

  test("of two files of one key the later counts, the other is reported and left", async () => {
    const store = await open();
    await store.session("discord:42").append(user("ours, later"));
    await store.close();
    const older = await fixture("discord_42.json");
    const bytes = await readFile(older);
    const again = await open();
    expect(await contentsIn(again, "discord:42")).toEqual(["ours, later"]);
    await again.session("discord:42").append(user("more"));
    await again.close();
    expect(damage).toMatchObject([
      { file: older, key: "discord:42", reason: expect.stringContaining("older") as unknown },
    ]);
    expect(await readFile(older)).toEqual(bytes);
  });

  test("the sidecar of another format is no session and no damage, but a session may be named like one", async () => {
    await writeFile(join(directory, "a.meta.json"), '{"key":"a","summary":"","skip":0,"count":1}');
    await writeFile(
      join(directory, "b.meta.json"),
      '{"key":"b.meta","messages":[{"role":"user","content":"x"}],"created":"2026-01-02T03:04:05Z","updated":"2026-01-02T03:04:05Z"}',
    );
    const store = await open();
    expect((await collect(store.list())).map(({ key }) => key)).toEqual(["b.meta"]);
    await store.close();
    expect(damage).toEqual([]);
  });
});
