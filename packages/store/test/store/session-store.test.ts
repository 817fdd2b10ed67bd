/** The seeds' contract over both implementations, and what each of them promises beyond it. */

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  isLonghandError,
  jsonBackend,
  JsonlSessions,
  jsonlBackend,
  LonghandError,
  memoryBackend,
  openStore,
  SessionManager,
  type Message,
  type SessionStore,
} from "../../src/index.ts";
import type { Host } from "../../src/host/host.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { failingHost } from "../../src/testing/failing-host.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { brokenBackend } from "../support/broken-backends.ts";
import { countingHost, type DiskCounts } from "../support/counting-host.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let directory: string;
let errors: LonghandError[];
const onError = (error: LonghandError): void => void errors.push(error);

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  errors = [];
});

afterEach(async () => {
  await removeDirectory(directory);
});

type Open = () => Promise<SessionStore>;
const openManager = (): Promise<SessionManager> =>
  Promise.resolve(new SessionManager(directory, { onError }));
const openJsonl = async (): Promise<JsonlSessions> =>
  new JsonlSessions(await openStore(directory), { onError });

const IMPLEMENTATIONS: readonly (readonly [string, Open])[] = [
  ["SessionManager", openManager],
  ["JsonlSessions", openJsonl],
];

/** What another process finds that opens the directory after a save and a close. */
async function reopened<T>(
  sessions: SessionStore,
  open: Open,
  read: (again: SessionStore) => Promise<T>,
): Promise<T> {
  await sessions.close();
  const again = await open();
  try {
    return await read(again);
  } finally {
    await again.close();
  }
}

const user = (content: string): Message => ({ role: "user", content });
const contents = (messages: readonly Message[]): unknown[] => messages.map(({ content }) => content);

describe.each(IMPLEMENTATIONS)("%s", (_name, open) => {
  test("message round trip", async () => {
    const sessions = await open();
    await sessions.addMessage("telegram:1", "user", "hello");
    await sessions.addMessage("telegram:1", "assistant", "hi\nthere 👋 \u2028");
    const expected = [user("hello"), { role: "assistant", content: "hi\nthere 👋 \u2028" }];
    expect(await sessions.getHistory("telegram:1")).toEqual(expected);
    await sessions.save("telegram:1");
    expect(await reopened(sessions, open, (again) => again.getHistory("telegram:1"))).toEqual(expected);
    expect(errors).toEqual([]);
  });

  test("tool calls", async () => {
    const turn: readonly Message[] = [
      user("What is in notes?"),
      {
        role: "assistant",
        content: "",
        reasoning: "list it",
        toolCalls: [
          { id: "call_0", name: "list_dir", arguments: { path: "notes", depth: 1 } },
          { id: "call_1", name: "exec", arguments: "not json" },
        ],
      },
      { role: "tool", content: "a.md", toolCallId: "call_0" },
      { role: "tool", content: "no such command", toolCallId: "call_1", isError: true },
      { role: "assistant", content: [{ type: "text", text: "a.md" }], model: "m", stopReason: "end" },
    ];
    const sessions = await open();
    for (const message of turn) await sessions.addFullMessage("s", message);
    await sessions.save("s");
    expect(await sessions.getHistory("s")).toEqual(turn);
    expect(await reopened(sessions, open, (again) => again.getHistory("s"))).toEqual(turn);
    expect(errors).toEqual([]);
  });

  test("summary", async () => {
    const sessions = await open();
    expect(await sessions.getSummary("s")).toBe("");
    await sessions.addMessage("s", "user", "hello");
    await sessions.setSummary("s", "They said hello.");
    expect(await sessions.getSummary("s")).toBe("They said hello.");
    expect(contents(await sessions.getHistory("s"))).toEqual(["hello"]);
    await sessions.save("s");
    expect(await reopened(sessions, open, (again) => again.getSummary("s"))).toBe("They said hello.");
  });

  test("truncation with compaction", async () => {
    const sessions = await open();
    for (let index = 1; index <= 10; index++) await sessions.addMessage("s", "user", `message ${index}`);
    await sessions.truncateHistory("s", 4);
    await sessions.save("s");
    const kept = ["message 7", "message 8", "message 9", "message 10"];
    expect(contents(await sessions.getHistory("s"))).toEqual(kept);
    await sessions.truncateHistory("s", 100);
    await sessions.addMessage("s", "user", "message 11");
    await sessions.save("s");
    expect(contents(await reopened(sessions, open, (again) => again.getHistory("s")))).toEqual([
      ...kept,
      "message 11",
    ]);
  });

  test("history replacement", async () => {
    const sessions = await open();
    await sessions.addMessage("s", "user", "old 1");
    await sessions.addMessage("s", "user", "old 2");
    await sessions.setSummary("s", "kept");
    await sessions.setHistory("s", [user("new 1"), user("new 2"), user("new 3")]);
    await sessions.addMessage("s", "user", "new 4");
    await sessions.save("s");
    const expected = ["new 1", "new 2", "new 3", "new 4"];
    expect(contents(await sessions.getHistory("s"))).toEqual(expected);
    expect(await sessions.getSummary("s")).toBe("kept");
    expect(contents(await reopened(sessions, open, (again) => again.getHistory("s")))).toEqual(expected);
  });

  test("empty sessions", async () => {
    const sessions = await open();
    expect(await sessions.getHistory("nobody")).toEqual([]);
    expect(await sessions.getSummary("nobody")).toBe("");
    await sessions.save("nobody");
    expect(await sessions.listSessions()).toEqual([]);
    await sessions.addMessage("cleared", "user", "x");
    await sessions.truncateHistory("cleared", 0);
    await sessions.addMessage("below", "user", "x");
    await sessions.truncateHistory("below", -3);
    await sessions.setHistory("replaced", []);
    for (const key of ["cleared", "below", "replaced"]) {
      expect(await sessions.getHistory(key)).toEqual([]);
      await sessions.save(key);
    }
    const listed = await reopened(sessions, open, (again) => again.listSessions());
    expect(listed).toEqual(["below", "cleared", "replaced"]);
    expect(errors).toEqual([]);
  });

  test("session isolation", async () => {
    const keys = ["a:b", "a_b", "a/b", "a\\b", "A:B", "a:b "];
    const sessions = await open();
    await Promise.all(
      Array.from({ length: 5 }, (_, round) =>
        Promise.all(keys.map((key) => sessions.addMessage(key, "user", `${key} ${round}`))),
      ),
    );
    await Promise.all(keys.map((key) => sessions.save(key)));
    await sessions.truncateHistory("a_b", 0);
    await sessions.close();
    const again = await open();
    expect((await again.listSessions()).sort()).toEqual([...keys].sort());
    for (const key of keys.filter((each) => each !== "a_b")) {
      expect(contents(await again.getHistory(key))).toEqual(
        [0, 1, 2, 3, 4].map((round) => `${key} ${round}`),
      );
    }
    await again.close();
  });

  test("the whole flow setSummary → truncateHistory → save", async () => {
    const sessions = await open();
    for (let index = 1; index <= 6; index++) await sessions.addMessage("s", "user", `message ${index}`);
    await sessions.setSummary("s", "Messages 1 to 4.");
    await sessions.truncateHistory("s", 2);
    await sessions.save("s");
    const seen = await reopened(sessions, open, async (again) => ({
      summary: await again.getSummary("s"),
      history: contents(await again.getHistory("s")),
      keys: await again.listSessions(),
    }));
    expect(seen).toEqual({
      summary: "Messages 1 to 4.",
      history: ["message 5", "message 6"],
      keys: ["s"],
    });
    expect(errors).toEqual([]);
  });

  test("a setter on an unknown key creates the session", async () => {
    const sessions = await open();
    await sessions.setSummary("summary", "s");
    await sessions.setHistory("history", [user("1")]);
    await sessions.truncateHistory("truncated", 5);
    expect(await sessions.listSessions()).toEqual(["history", "summary", "truncated"]);
    await sessions.close();
  });

  test("getHistory is a copy", async () => {
    const sessions = await open();
    const given = { role: "user" as const, content: "as given", extra: { deep: [1] } };
    await sessions.addFullMessage("s", given);
    const history = await sessions.getHistory("s");
    expect(history).not.toBe(await sessions.getHistory("s"));
    Object.assign(history[0] ?? {}, { content: "changed" });
    history.push(user("added"));
    given.extra.deep.push(2);
    expect(await sessions.getHistory("s")).toEqual([
      { role: "user", content: "as given", extra: { deep: [1] } },
    ]);
    await sessions.close();
  });

  test("writes keep the order of the calls though nobody awaits them, and reads see them", async () => {
    const sessions = await open();
    const message = { role: "user" as const, content: "at the call" };
    const pending = [
      sessions.addFullMessage("s", message),
      sessions.addMessage("s", "user", "2"),
      sessions.truncateHistory("s", 1),
      sessions.addMessage("s", "user", "3"),
      sessions.setSummary("s", "first"),
      sessions.setSummary("s", "second"),
      sessions.setHistory("other", [message]),
    ];
    message.content = "changed since";
    expect(contents(await sessions.getHistory("s"))).toEqual(["2", "3"]);
    expect(await sessions.getSummary("s")).toBe("second");
    expect(contents(await sessions.getHistory("other"))).toEqual(["at the call"]);
    expect(await sessions.listSessions()).toEqual(["other", "s"]);
    await Promise.all(pending);
    await sessions.close();
  });

  test("writes never reject: the failure is reported, and save rejects with the first of its key, once", async () => {
    const sessions = await open();
    await sessions.addMessage("s", "user", "good");
    await sessions.addFullMessage("s", { role: "user", content: Number.NaN as unknown as string });
    await sessions.setSummary("s", 7 as unknown as string);
    await sessions.truncateHistory("s", 1.5);
    await sessions.addMessage("other", "user", "good");
    expect(errors.map(({ code }) => code)).toEqual(["MESSAGE_INVALID", "OPTION_INVALID", "OPTION_INVALID"]);
    await sessions.save("other");
    await expect(sessions.save("s")).rejects.toBe(errors[0]);
    await sessions.save("s");
    await sessions.setSummary("s", 8 as unknown as string);
    await expect(sessions.save("s")).rejects.toBe(errors[3]);
    expect(contents(await sessions.getHistory("s"))).toEqual(["good"]);
    await sessions.close();
  });

  test("a key that cannot be is reported by writes and reads, and by save", async () => {
    const sessions = await open();
    await sessions.addMessage("", "user", "x");
    expect(await sessions.getHistory("")).toEqual([]);
    expect(await sessions.getSummary("nul\0")).toBe("");
    expect(errors.map(({ code }) => code)).toEqual(["KEY_INVALID", "KEY_INVALID", "KEY_INVALID"]);
    await expect(sessions.save("")).rejects.toBe(errors[0]);
    await expect(sessions.save("nul\0")).rejects.toMatchObject({ code: "KEY_INVALID" });
    await sessions.close();
  });

  test("after close: writes and reads are reported as STORE_CLOSED, and close may be repeated", async () => {
    const sessions = await open();
    void sessions.addMessage("s", "user", "not awaited");
    await sessions.close();
    expect(errors).toEqual([]);
    await sessions.addMessage("s", "user", "late");
    expect(await sessions.getHistory("s")).toEqual([]);
    expect(await sessions.listSessions()).toEqual([]);
    expect(errors.map(({ code }) => code)).toEqual(["STORE_CLOSED", "STORE_CLOSED", "STORE_CLOSED"]);
    await sessions.close();
  });
});

test("an onError that throws fails nothing", async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error): void => void warnings.push(warning);
  process.on("warning", listen);
  const throws = (): never => {
    throw new Error("the handler is broken");
  };
  const sessions = new JsonlSessions(await openStore(memoryBackend()), { onError: throws });
  await sessions.setSummary("s", 7 as unknown as string);
  await expect(sessions.save("s")).rejects.toMatchObject({ code: "OPTION_INVALID" });
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", listen);
  expect(warnings.map(({ name }) => name)).toEqual(["LonghandError"]);
});

test("JsonlSessions: save reclaims the space of that session, and rejects if that fails", async () => {
  const reclaimed: unknown[] = [];
  const failure = new LonghandError("DISK_FULL", "no room to compress", {});
  let isFailing = false;
  const backend = brokenBackend(({ upkeep }) => ({
    upkeep: {
      ...upkeep,
      reclaim: async (options) => {
        reclaimed.push({ keys: [...(options.keys ?? [])], drop: options.drop, dryRun: options.dryRun });
        if (isFailing) throw failure;
        return await upkeep.reclaim(options);
      },
    },
  }));
  const errors: LonghandError[] = [];
  const sessions = new JsonlSessions(await openStore(backend), { onError: (error) => errors.push(error) });
  await sessions.addMessage("s", "user", "hello");
  await sessions.save("s");
  expect(reclaimed).toEqual([{ keys: ["s"], drop: undefined, dryRun: false }]);
  await sessions.setSummary("s", 7 as unknown as string);
  await expect(sessions.save("s")).rejects.toBe(errors[0]);
  expect(reclaimed).toHaveLength(1);
  isFailing = true;
  await expect(sessions.save("s")).rejects.toBe(failure);
  isFailing = false;
  await sessions.save("s");
  await sessions.close();
});

describe("JsonlSessions on a disk that fails", () => {
  const backends = [
    ["json", jsonBackend],
    ["jsonl", jsonlBackend],
  ] as const;

  test.each(backends)(
    "over %s: writes do not reject, save does, with the first failure, then is clean",
    async (_name, backend) => {
      let isFailing = false;
      const host = failingHost(nodeHost, ({ operation }) =>
        isFailing && operation === "write" ? { kind: "error", code: "ENOSPC" } : undefined,
      );
      const sessions = new JsonlSessions(await openStore(backend(directory, { host })), { onError });
      await sessions.addMessage("s", "user", "before");
      isFailing = true;
      await sessions.addMessage("s", "user", "lost");
      await sessions.setSummary("s", "lost");
      expect(errors).toHaveLength(2);
      expect(errors[0]?.code).toBe("DISK_FULL");
      expect(host.faults).toBeGreaterThan(0);
      await expect(sessions.save("s")).rejects.toBe(errors[0]);
      isFailing = false;
      await sessions.save("s");
      await sessions.close().catch(() => undefined);
      const again = new JsonlSessions(await openStore(backend(directory)), { onError });
      expect(contents(await again.getHistory("s"))).toEqual(["before"]);
      await again.close();
    },
  );

  test("reads that fail give empty values and are reported", async () => {
    const writer = await openJsonl();
    await writer.addMessage("s", "user", "there");
    await writer.setSummary("s", "there");
    await writer.close();
    let isFailing = false;
    const host = failingHost(nodeHost, ({ operation }) =>
      isFailing && (operation === "open" || operation === "readDirectory" || operation === "read")
        ? { kind: "error", code: "EIO" }
        : undefined,
    );
    const store = await openStore(jsonlBackend(directory, { host }), { readOnly: true });
    const sessions = new JsonlSessions(store, { onError });
    expect(await sessions.getSummary("s")).toBe("there");
    isFailing = true;
    expect(await sessions.getHistory("s")).toEqual([]);
    expect(await sessions.getSummary("s")).toBe("");
    expect(await sessions.listSessions()).toEqual([]);
    expect(errors).toHaveLength(3);
    expect(errors.every((error) => isLonghandError(error))).toBe(true);
    await sessions.save("s");
    isFailing = false;
    expect(contents(await sessions.getHistory("s"))).toEqual(["there"]);
    await sessions.close();
  });
});

describe("the faults of the systems before", () => {
  test("seed fault 17: a crash loses what SessionManager has not saved, and nothing of JsonlSessions", async () => {
    /** What the next process finds of "saved", which was saved, and "not saved", which was not: after a kill, and in
     * each state in which a power cut may leave the disk. */
    const found = async (open: (host: Host) => Promise<SessionStore>): Promise<unknown[][]> => {
      const machine = new SimulatedMachine();
      const sessions = await open(machine.startProcess());
      await sessions.addMessage("s", "user", "saved");
      await sessions.save("s");
      await sessions.addMessage("s", "user", "not saved");
      const capture = machine.capture();
      const histories: unknown[][] = [];
      for (const after of [capture.afterKill(), ...capture.afterPowerLoss()]) {
        const again = await open(after.startProcess());
        histories.push(contents(await again.getHistory("s")));
        await again.close();
      }
      return histories;
    };
    const ofManager = await found((host) =>
      Promise.resolve(new SessionManager("/sessions", { onError, host })),
    );
    expect(new Set(ofManager.map(String))).toEqual(new Set(["saved"]));
    const ofJsonl = await found(
      async (host) => new JsonlSessions(await openStore(jsonlBackend("/sessions", { host })), { onError }),
    );
    expect(new Set(ofJsonl.map(String))).toEqual(new Set(["saved,not saved"]));
    expect(errors).toEqual([]);
  });

  test("seed fault 18: JsonlSessions appends, it does not rewrite", async () => {
    const bytesOf = async (sessions: SessionStore, counts: DiskCounts): Promise<number> => {
      const before = counts.bytesWritten;
      for (let turn = 0; turn < 20; turn++) {
        await sessions.addMessage("s", "user", `turn ${turn} ${"x".repeat(1000)}`);
        await sessions.save("s");
      }
      return counts.bytesWritten - before;
    };
    const { host, counts } = countingHost();
    const store = await openStore(jsonlBackend(join(directory, "a"), { host }));
    const sessions = new JsonlSessions(store, { onError });
    const first = await bytesOf(sessions, counts);
    for (let round = 0; round < 8; round++) await bytesOf(sessions, counts);
    const last = await bytesOf(sessions, counts);
    await sessions.close();
    expect(first).toBeGreaterThan(20 * 1000);
    expect(last).toBeLessThan(first * 1.5);

    // The control: what rewrites the whole file is seen by the same measure.
    const rewriting = countingHost();
    const manager = new SessionManager(join(directory, "b"), { onError, host: rewriting.host });
    const firstOfManager = await bytesOf(manager, rewriting.counts);
    for (let round = 0; round < 8; round++) await bytesOf(manager, rewriting.counts);
    expect(await bytesOf(manager, rewriting.counts)).toBeGreaterThan(firstOfManager * 5);
    await manager.close();
  });

  test.each(IMPLEMENTATIONS)("seed fault 19: %s keeps a:b and a_b apart", async (_name, open) => {
    const sessions = await open();
    await sessions.addMessage("a:b", "user", "of a:b");
    await sessions.addMessage("a_b", "user", "of a_b");
    await sessions.save("a:b");
    await sessions.save("a_b");
    await sessions.close();
    const again = await open();
    expect(await again.listSessions()).toEqual(["a:b", "a_b"]);
    expect(contents(await again.getHistory("a:b"))).toEqual(["of a:b"]);
    expect(contents(await again.getHistory("a_b"))).toEqual(["of a_b"]);
    await again.close();
  });

  test("seed fault 20: an unparsable file is reported and never overwritten", async () => {
    const file = join(directory, "discord_77.json");
    const torn = '{\n  "key": "discord:77",\n  "messages": [\n    {"role": "user", "content": "cut off he';
    await writeFile(file, torn);
    const damage: unknown[] = [];
    const sessions = new SessionManager(directory, { onError, onDamage: (each) => damage.push(each) });
    await sessions.addMessage("discord:77", "user", "new");
    expect(damage).toMatchObject([
      { file, offset: 0, bytes: torn.length, kind: "corrupt", key: "discord:77" },
    ]);
    const failure: unknown = await sessions.save("discord:77").catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "SESSION_DAMAGED", detail: { file, key: "discord:77" } });
    expect((failure as Error).message).toMatch(/discord_77\.json.*move it away/);
    expect(await readFile(file, "utf8")).toBe(torn);
    expect(await readdir(directory)).toEqual(["discord_77.json"]);
    expect(contents(await sessions.getHistory("discord:77"))).toEqual(["new"]);
    await sessions.close();
  });
});
