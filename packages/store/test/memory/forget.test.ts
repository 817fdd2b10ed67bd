/** Forgetting: the words are in no file any more, the rest is whole, and a crash on the way loses nothing. */

import { appendFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Host } from "../../src/host/host.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { memoryBackend, openStore, type LonghandError, type Session, type Store } from "../../src/index.ts";
import type { MemoryWorld } from "../../src/memory/memory-log.ts";
import { openMemory } from "../../src/memory/open-memory.ts";
import type { MemoryMessage } from "../../src/memory/stored-entry.ts";
import type { Memory, MemoryEntry } from "../../src/memory/types.ts";
import { failingHost, SimulatedMachine, type Capture } from "../../src/testing/index.ts";
import { readSimulatedFile } from "../support/simulated-store.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";
import { filesWith, memoryIn, refusedWith, savedLongAgo, worldOf } from "./support/memory-in.ts";
import { override } from "./support/override.ts";

const ann = { user: "ann" } as const;
const SECRET = "the password is swordfish";

describe("forget", () => {
  let directory: string;
  let memory: Memory;
  beforeEach(async () => {
    directory = await makeTemporaryDirectory();
    memory = await memoryIn(directory);
  });
  afterEach(async () => {
    await memory.close();
    await removeDirectory(directory);
  });

  test("removes the words from every file at once, and leaves a line that says when", async () => {
    await memory.remember({ text: "before", scope: ann });
    const secret = await memory.remember({ text: SECRET, scope: ann });
    const daily = await memory.remember({ text: `on this day: ${SECRET}`, kind: "daily", scope: ann });
    const after = await memory.remember({ text: "after", scope: ann });
    await memory.undo(after.id);
    await memory.refresh();
    expect(await filesWith(directory, SECRET)).not.toEqual([]);
    const kept = (await memory.everything({ all: true })).filter(({ text }) => !text.includes(SECRET));

    const forgotten = await memory.forget(secret.id);
    await memory.forget(daily.id);
    expect(await filesWith(directory, SECRET)).toEqual([]);
    expect(await memory.everything({ all: true })).toEqual(kept);
    expect(await memory.entry(secret.id)).toBeUndefined();
    expect(forgotten.id).toBe(secret.id);

    await memory.close();
    expect(await filesWith(directory, SECRET)).toEqual([]);
    const [file, ...others] = await filesWith(directory, secret.id);
    expect(others).toEqual([]);
    expect(file).toContain(join(directory, "store"));
    memory = await memoryIn(directory);
    expect(await memory.everything({ all: true })).toEqual(kept);
    expect(await memory.forget(secret.id)).toEqual(forgotten);
  });

  test("also from bytes that were kept aside when the file was damaged", async () => {
    const secret = await memory.remember({ text: SECRET, scope: ann });
    await memory.close();
    const store = join(directory, "store");
    const [name] = (await readdir(store)).filter((each) => /1~.*\.jsonl$/u.test(each));
    await appendFile(join(store, name ?? ""), `{"seq":9,"message":{"content":"${SECRET}`);
    const damage: string[] = [];
    memory = await memoryIn(directory, undefined, { onDamage: ({ file }) => damage.push(file) });
    await memory.remember({ text: "more", scope: ann });
    expect(damage.length).toBe(1);
    expect((await filesWith(directory, SECRET)).join()).toContain("damaged");
    await memory.forget(secret.id);
    await memory.close();
    expect(await filesWith(directory, SECRET)).toEqual([]);
  });

  test("a line that an old editor saves again is not taken in, under whichever heading, and that is said once", async () => {
    const errors: LonghandError[] = [];
    const secret = await memory.remember({ text: SECRET, scope: ann });
    await memory.close();
    memory = await openMemory(worldOf(nodeHost), {
      directory,
      sessions: await openStore(memoryBackend()),
      onError: (error) => errors.push(error),
    });
    await memory.forget(secret.id);
    const page = join(directory, "MEMORY.md");
    for (const heading of ["Everyone", "user bob", "user ann"]) {
      await appendFile(page, `\n## ${heading}\n\n- ${SECRET}! <!-- ${secret.id} -->\n- of ${heading}\n`);
      await savedLongAgo(page);
      expect((await memory.refresh()).map(({ text }) => text)).toEqual([`of ${heading}`]);
      expect(await filesWith(directory, SECRET)).toEqual([]);
    }
    expect(errors.map(({ code, detail }) => [code, detail])).toEqual([
      ["OPTION_INVALID", { file: page, id: secret.id }],
    ]);
    expect(errors[0]?.message).not.toContain(SECRET);
  });

  test("what it had superseded stays superseded; what supersedes it stays current", async () => {
    const one = await memory.remember({ text: "1", scope: ann });
    const two = await memory.remember({ text: "2", scope: ann, supersedes: [one.id] });
    await memory.remember({ text: "3", scope: ann, supersedes: [two.id] });
    await memory.forget(two.id);
    const all = await memory.entries({ scope: ann, all: true });
    expect(all.map(({ text, status }) => [text, status])).toEqual([
      ["1", "superseded"],
      ["3", "current"],
    ]);
  });

  test("a second and a third are forgotten as well, and the log goes on", async () => {
    const ids: string[] = [];
    for (let index = 0; index < 4; index++) {
      ids.push((await memory.remember({ text: `fact ${index}`, scope: ann })).id);
    }
    for (const id of ids.slice(0, 3)) await memory.forget(id);
    await memory.remember({ text: "new", scope: ann });
    expect((await memory.entries({ scope: ann })).map(({ text }) => text)).toEqual(["fact 3", "new"]);
    const names = (await readdir(join(directory, "store"))).filter((name) => name.endsWith(".jsonl"));
    expect(names.length).toBe(2);
    await refusedWith(memory.undo(ids[0] ?? ""), "OPTION_INVALID");
  });

  test("a line of Markdown with its words, written before, does not bring it back", async () => {
    const secret = await memory.remember({ text: SECRET, scope: ann });
    await memory.forget(secret.id);
    const page = `# Memory\n\n## user "ann"\n\n- ${SECRET} <!-- ${secret.id} -->\n`;
    await writeFile(join(directory, "MEMORY.md"), page);
    await savedLongAgo(join(directory, "MEMORY.md"));
    expect(await memory.refresh()).toEqual([]);
    expect(await filesWith(directory, SECRET)).toEqual([]);
  });

  test("others who write to the same scope meanwhile lose nothing", async () => {
    const other = await memoryIn(directory);
    const { id } = await memory.remember({ text: SECRET, scope: ann });
    const texts = Array.from({ length: 10 }, (_, index) => `fact ${index}`);
    await Promise.all([
      memory.forget(id),
      ...texts.map(
        async (text, index) => await (index % 2 === 0 ? memory : other).remember({ text, scope: ann }),
      ),
    ]);
    await other.close();
    expect((await memory.entries({ scope: ann })).map(({ text }) => text).toSorted()).toEqual(texts);
  });
});

describe("a crash while it is forgotten", () => {
  const OPTIONS = { onDamage: () => undefined, onError: () => undefined };
  const KEPT = ["first", "second", "third"];

  /** What is wrong on this machine; `undefined`: nothing. */
  async function wrongOn(machine: SimulatedMachine, isAcknowledged: boolean): Promise<string | undefined> {
    const host = machine.startProcess();
    const memory = await memoryIn("/memory", host, OPTIONS);
    // What had to be taken from the Markdown again was lost from the log.
    const found = (await memory.entries({ scope: ann, all: true })).map(({ text, source }) =>
      source.by === "request" ? text : `${text} by ${source.by}`,
    );
    await memory.remember({ text: "and later", scope: ann });
    await memory.close();
    const isThere = found.includes(SECRET);
    if (isThere && isAcknowledged) return "it is there again";
    const expected = isThere ? ["first", SECRET, "second", "third"] : KEPT;
    if (found.join() !== expected.join()) return `found ${found.join()}`;
    const files = isThere ? [] : await simulatedFilesWith(host, "/memory", SECRET);
    return files.length === 0 ? undefined : `its words are in ${files.join()}`;
  }

  async function crashEverywhere(
    worldOn = (host: Host): MemoryWorld => worldOf(host, OPTIONS),
  ): Promise<readonly string[]> {
    const machine = new SimulatedMachine(3);
    const sessions = await openStore(memoryBackend());
    const memory = await openMemory(worldOn(machine.startProcess()), { directory: "/memory", sessions });
    await memory.remember({ text: "first", scope: ann });
    const secret: MemoryEntry = await memory.remember({ text: SECRET, scope: ann });
    for (const text of KEPT.slice(1)) await memory.remember({ text, scope: ann });
    await memory.refresh();
    const moments: { capture: Capture; isAcknowledged: boolean; after: string }[] = [];
    let isAcknowledged = false;
    machine.onOperation(({ number, operation, path, changedDisk }) => {
      const after = `${number} ${operation} ${path}`;
      if (changedDisk) moments.push({ capture: machine.capture(), isAcknowledged, after });
    });
    await memory.forget(secret.id);
    isAcknowledged = true;
    await memory.close();
    expect(moments.length).toBeGreaterThan(20);

    const problems: string[] = [];
    for (const { capture, isAcknowledged: isDone, after } of moments) {
      for (const state of [capture.afterKill(), ...capture.afterPowerLoss({ limit: 4 })]) {
        const wrong = await wrongOn(state, isDone).catch(String);
        if (wrong !== undefined) problems.push(`after ${after}: ${wrong}`);
        // One is enough to be told.
        if (problems.length > 0) return problems;
      }
    }
    return problems;
  }

  test(
    "leaves all entries, or all but that one, and never its words alone",
    { timeout: 120_000 },
    async () => {
      expect(await crashEverywhere()).toEqual([]);
    },
  );

  test("and this would be noticed: a disk that only says it syncs", { timeout: 120_000 }, async () => {
    const careless = (host: Host): Host => failingHost(host, () => ({ kind: "ignored" }));
    expect(await crashEverywhere((host) => worldOf(careless(host), OPTIONS))).not.toEqual([]);
  });

  test("and so would this: the old log goes before the new one counts", { timeout: 120_000 }, async () => {
    const problems = await crashEverywhere((host) => ({
      ...worldOf(host, OPTIONS),
      openStore: async (directory, options) =>
        withoutNotes(await worldOf(host, OPTIONS).openStore(directory, options)),
    }));
    expect(problems).not.toEqual([]);
  });
});

/** Leaves out what makes the second generation the one that counts. */
function withoutNotes(store: Store<MemoryMessage>): Store<MemoryMessage> {
  const session = (key: string): Session<MemoryMessage> => {
    const real = store.session(key);
    return override(real, {
      note: async (kind, data, options) => {
        const isLeftOut = kind === "longhand/memory-complete" || JSON.stringify(data) === '{"generation":2}';
        return isLeftOut ? { seq: 0 } : await real.note(kind, data, options);
      },
    });
  };
  return override(store, { session });
}

async function simulatedFilesWith(host: Host, directory: string, words: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await host.files.readDirectory(directory)) {
    const path = `${directory}/${name}`;
    const kind = (await host.files.stat(path))?.kind;
    if (kind === "directory") found.push(...(await simulatedFilesWith(host, path, words)));
    if (kind === "file" && (await readSimulatedFile(host, path)).includes(words)) found.push(path);
  }
  return found;
}
