/** Pages as people and their editors leave them: half saved, with lines copied about, with something else in their place. */

import { execFileSync } from "node:child_process";
import {
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Host } from "../../src/host/host.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { memoryBackend, openStore, type LonghandError } from "../../src/index.ts";
import { END_OF_PAGE } from "../../src/memory/markdown/page-end.ts";
import { openMemory } from "../../src/memory/open-memory.ts";
import type { Memory, MemoryEntry, TakenIn } from "../../src/memory/types.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";
import { worldOf } from "./support/memory-in.ts";

let directory: string;
let memory: Memory;
let errors: LonghandError[];
let taken: TakenIn[];
const ann = { user: "ann" } as const;
const PAGE = "MEMORY.md";
/** Time passes for those who wait, and for nobody else. */
let later: number;
/** What happens while somebody waits. */
let whileWaiting: () => Promise<void>;

const patient: Host = {
  ...nodeHost,
  now: () => nodeHost.now() + later,
  wait: async (milliseconds) => {
    later += milliseconds;
    await whileWaiting();
  },
};

async function openIn(): Promise<void> {
  const sessions = await openStore(memoryBackend());
  memory = await openMemory(worldOf(patient), {
    ...{
      directory,
      sessions,
      onError: (error) => errors.push(error),
      onTakenIn: (edits) => taken.push(edits),
    },
  });
}

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  [errors, taken, later] = [[], [], 0];
  whileWaiting = () => Promise.resolve();
  await openIn();
});
afterEach(async () => {
  await memory.close();
  await removeDirectory(directory);
});

async function page(name = PAGE): Promise<string> {
  return await readFile(join(directory, name), "utf8");
}

async function save(text: string, name = PAGE): Promise<void> {
  await writeFile(join(directory, name), text);
}

async function texts(scope: { user?: string } = ann): Promise<readonly string[]> {
  return (await memory.entries({ scope })).map(({ text }) => text);
}

async function remembered(...facts: readonly string[]): Promise<readonly MemoryEntry[]> {
  const entries: MemoryEntry[] = [];
  for (const text of facts) entries.push(await memory.remember({ text, scope: ann }));
  await memory.refresh();
  return entries;
}

function lineOf(text: string, of: string): string {
  return text.split("\n").find((line) => line.startsWith(`- ${of}`)) ?? "?";
}

describe("a page that is read while it is saved in place", () => {
  test("loses nothing and invents nothing, wherever it is cut", async () => {
    await remembered("likes tea", "has a boat", "sings in a choir");
    const whole = await page();
    const edited = whole
      .replace("likes tea", "likes green tea")
      .replace(/^- has a boat.*\n/mu, "- has a kayak\n");
    for (let cut = 0; cut < edited.length; cut += 7) {
      await save(edited.slice(0, cut));
      await memory.refresh();
      const now = await texts();
      // What is missing was not removed, and half a line is nobody's fact.
      expect(now, edited.slice(0, cut)).toContain("sings in a choir");
      const known = ["likes tea", "likes green tea", "has a boat", "has a kayak", "sings in a choir"];
      expect(now.filter((text) => !known.includes(text))).toEqual([]);
    }
    await save(edited);
    await memory.refresh();
    // By now it is not known any more that the page had a boat: who is in doubt keeps it.
    expect((await texts()).toSorted()).toEqual([
      ...["has a boat", "has a kayak", "likes green tea", "sings in a choir"],
    ]);
  });

  test("is left alone until it is saved, and then counts", async () => {
    await remembered("likes tea", "has a boat");
    const next = (await page()).replace("likes tea", "likes coffee");
    const file = await open(join(directory, PAGE), "w");
    let waits = 0;
    whileWaiting = async () => {
      waits += 1;
      if (waits === 1) await file.write(next.slice(0, next.indexOf("coffee") + 3));
      if (waits === 2) await file.write(next.slice(next.indexOf("coffee") + 3));
      await utimes(join(directory, PAGE), patient.now() / 1000, patient.now() / 1000);
    };
    await memory.refresh();
    await file.close();
    expect(waits).toBe(2);
    expect(await texts()).toEqual(["has a boat", "likes coffee"]);
    expect(await page()).toContain("- likes coffee <!-- ");
    expect((await memory.everything({ all: true })).filter(({ status }) => status === "undone")).toEqual([]);
  });

  test("also where it is cut within a letter", async () => {
    await remembered("likes tea");
    const whole = Buffer.from((await page()).replace("likes tea", "mag Grüntee"));
    const cut = whole.indexOf(0xc3) + 1;
    await writeFile(join(directory, PAGE), whole.subarray(0, cut));
    whileWaiting = async () => await writeFile(join(directory, PAGE), whole);
    await memory.refresh();
    expect(await texts()).toEqual(["mag Grüntee"]);
    expect((await readdir(directory)).filter((name) => name.includes("not-text"))).toEqual([]);
  });

  test("and is not written over by one who finds it growing all the time: that is said", async () => {
    await remembered("likes tea");
    let text = "- a";
    whileWaiting = async () => {
      await save((text += "b"));
      await utimes(join(directory, PAGE), patient.now() / 1000, patient.now() / 1000);
    };
    await save(text);
    expect(await memory.refresh()).toEqual([]);
    expect(await page()).toBe(text);
    expect(errors.map(({ message }) => message)).toEqual([expect.stringMatching(/MEMORY\.md.*end mark/u)]);
    whileWaiting = () => Promise.resolve();
  });

  test("a line it breaks off in is kept under Notes, and that is said; the rest is taken in", async () => {
    await remembered("likes tea");
    await save("## user ann\n- has a boat\n- sings in a cho");
    await memory.refresh();
    expect(await texts()).toEqual(["likes tea", "has a boat"]);
    expect(await page()).toContain("## Notes\n\n- sings in a cho\n");
    expect(errors).toMatchObject([{ code: "OPTION_INVALID", detail: { file: join(directory, PAGE) } }]);
  });

  test("an end mark that was removed comes back; lines removed with it do too", async () => {
    await remembered("likes tea", "has a boat");
    const before = await page();
    await save(before.replace(`${END_OF_PAGE}\n`, "").replace(/^- has a boat.*\n/mu, ""));
    expect(await memory.refresh()).toEqual([]);
    expect(await page()).toBe(before);
    expect(errors).toEqual([]);
  });

  test("lines behind the end mark count when they are saved", async () => {
    await remembered("likes tea", "has a boat");
    await save(`${(await page()).replace(/^- likes tea.*\n/mu, "")}- sings\n`);
    await memory.refresh();
    expect(await texts()).toEqual(["has a boat", "sings"]);
    expect((await page()).trimEnd().endsWith(END_OF_PAGE)).toBe(true);
  });

  test("a page as it was written before there were end marks is simply written again", async () => {
    await remembered("likes tea");
    const before = await page();
    const old = before.replace(`\n${END_OF_PAGE}\n`, "");
    const rendered = JSON.parse(await page(".rendered.json")) as Record<string, { digest: string }>;
    const { digestOf } = await import("../../src/memory/markdown/rendered-ids.ts");
    rendered[PAGE] = { ...rendered[PAGE], digest: digestOf(old) };
    await save(JSON.stringify(rendered), ".rendered.json");
    await save(old);
    whileWaiting = () => Promise.reject(new Error("there is nothing to wait for"));
    expect(await memory.refresh()).toEqual([]);
    expect(await page()).toBe(before);
  });

  test("what was edited is told to who asked: what came of it, and nothing where there was nothing", async () => {
    await remembered("likes tea", "has a boat");
    expect(taken).toEqual([]);
    await save((await page()).replace("likes tea", "likes coffee").replace(/^- has a boat.*\n/mu, ""));
    await memory.refresh();
    await memory.refresh();
    expect(taken).toMatchObject([{ added: [{ text: "likes coffee" }], undone: [{ text: "has a boat" }] }]);
  });
});

describe("lines that were copied, moved or stripped", () => {
  test("a line copied to another page is one more there; moved, it belongs there", async () => {
    await remembered("likes tea", "has a boat");
    const daily = await memory.remember({ text: "went sailing", kind: "daily", scope: ann });
    await memory.refresh();
    const today = `daily/${daily.at.slice(0, 10)}.md`;
    const tea = lineOf(await page(), "likes tea");
    const sailing = lineOf(await page(today), "went sailing");
    await save((await page(today)).replace(sailing, `${sailing}\n${tea}`), today);
    await save(`## user ann\n${sailing}\n${END_OF_PAGE}\n`, "daily/2020-02-29.md");
    expect(await memory.refresh()).toMatchObject([
      { text: "went sailing", kind: "daily", at: "2020-02-29T00:00:00.000Z", source: { by: "hand" } },
      { text: "likes tea", kind: "daily", source: { by: "hand", file: today } },
    ]);
    expect((await texts()).toSorted()).toEqual([
      ...["has a boat", "likes tea", "likes tea", "went sailing", "went sailing"],
    ]);
    expect(await page("daily/2020-02-29.md")).toContain("- went sailing <!-- ");

    const boat = lineOf(await page(), "has a boat");
    await save((await page()).replace(`${boat}\n`, ""));
    await save((await page(today)).replace(sailing, `${sailing}\n${boat.replace("boat", "ship")}`), today);
    await memory.refresh();
    expect((await memory.entries({ scope: ann, kind: "core" })).map(({ text }) => text)).toEqual([
      "likes tea",
    ]);
    expect(await page(today)).toContain("- has a ship <!-- ");
    expect(await memory.refresh()).toEqual([]);
  });

  test("a line copied to another section is one more there", async () => {
    await remembered("likes tea");
    const line = lineOf(await page(), "likes tea");
    await save((await page()).replace(`\n${END_OF_PAGE}`, `\n## user bob\n\n${line}\n\n${END_OF_PAGE}`));
    expect(await memory.refresh()).toMatchObject([
      { text: "likes tea", scope: { user: "bob" }, source: { by: "hand", file: PAGE } },
    ]);
    expect([await texts(), await texts({ user: "bob" })]).toEqual([["likes tea"], ["likes tea"]]);
  });

  test("a line without its comment is still the same entry", async () => {
    const [tea] = await remembered("likes tea", "has a boat");
    const before = await page();
    await save(before.replace(/ <!-- [0-9A-Z]{26} -->/gu, ""));
    expect(await memory.refresh()).toEqual([]);
    expect(await page()).toBe(before);
    expect((await memory.entry(tea?.id ?? ""))?.status).toBe("current");
    expect(await memory.everything({ all: true })).toHaveLength(2);
  });

  test("even where it was replaced meanwhile", async () => {
    const [tea] = await remembered("likes tea");
    const stripped = (await page()).replace(/ <!-- [0-9A-Z]{26} -->/gu, "");
    await memory.remember({ text: "likes coffee", scope: ann, supersedes: [tea?.id ?? ""] });
    await save(stripped);
    expect(await memory.refresh()).toEqual([]);
    expect(await texts()).toEqual(["likes coffee"]);
  });

  test("of two with the same words, the line that is gone is gone", async () => {
    await remembered("likes tea", "likes tea");
    const lines = (await page()).split("\n").filter((line) => line.startsWith("- "));
    await save((await page()).replace(`${lines[0] ?? "?"}\n`, "").replace(lines[1] ?? "?", "- likes tea"));
    await memory.refresh();
    expect(await texts()).toEqual(["likes tea"]);
  });

  test("what a person writes under Notes stays, though it looks like ours", async () => {
    await remembered("likes tea");
    const own = "# Memory\n\n## Notes\n\nSee above.\n\n## Notes\n<!-- longhand 0123456789abcdef. x -->";
    await save((await page()).replace(END_OF_PAGE, `## Notes\n\n${own}\n\n${END_OF_PAGE}`));
    for (let count = 0; count < 3; count++) expect(await memory.refresh()).toEqual([]);
    expect(await page()).toContain(`## Notes\n\n${own}\n\n${END_OF_PAGE}\n`);
    await memory.remember({ text: "sings", scope: ann });
    await memory.refresh();
    expect(await page()).toContain(`## Notes\n\n${own}\n\n${END_OF_PAGE}\n`);
    expect(await texts()).toEqual(["likes tea", "sings"]);
  });
});

describe("something else in the place of a page", () => {
  const PUT: Readonly<Record<string, (path: string) => Promise<unknown> | Buffer>> = {
    "a directory": async (path) => await mkdir(path),
    "a link to a file": async (path) => await symlink(join(directory, "elsewhere.md"), path),
    "a link to a directory": async (path) => await symlink(join(directory, "elsewhere"), path),
    "a link to nothing": async (path) => await symlink(join(directory, "nothing"), path),
    "a pipe": (path) => execFileSync("mkfifo", [path]),
  };
  const DAY = "daily/2020-02-29.md";

  test.each(
    Object.keys(PUT).flatMap((what) =>
      [PAGE, "daily", DAY, ".rendered.json"].map((name) => [what, name] as const),
    ),
  )("%s as %s: the memory opens, all else works, and it is named", async (what, name) => {
    await save("- elsewhere\n", "elsewhere.md");
    await mkdir(join(directory, "elsewhere"));
    await writeFile(join(directory, "elsewhere", "2020-03-01.md"), "- elsewhere\n");
    await writeFile(join(directory, "elsewhere", ".longhand-01ARZ3NDEKTSV4RRFFQ69G5FAV.tmp"), "x");
    await memory.remember({ text: "likes tea", scope: ann });
    await memory.remember({ text: "went sailing", kind: "daily", scope: ann });
    await memory.close();
    await rm(join(directory, name), { recursive: true, force: true });
    await PUT[what]?.(join(directory, name));
    const inode = (await lstat(join(directory, name))).ino;
    // A directory is no obstacle where there must be one.
    const isFine = what === "a directory" && name === "daily";

    errors = [];
    await openIn();
    await memory.remember({ text: "sings", scope: ann });
    await memory.refresh();
    expect((await texts()).toSorted()).toEqual(["likes tea", "sings", "went sailing"]);
    if (name !== PAGE) expect(await page()).toContain("- sings <!-- ");
    expect((await lstat(join(directory, name))).ino).toBe(inode);
    expect(await page("elsewhere.md")).toBe("- elsewhere\n");
    expect((await readdir(join(directory, "elsewhere"))).length).toBe(2);
    expect(errors.map(({ code, detail }) => [code, detail["file"]])).toEqual(
      isFine ? [] : [["IO_FAILED", join(directory, name)]],
    );

    await rename(join(directory, name), join(directory, "away"));
    await memory.refresh();
    expect(await page()).toContain("- sings <!-- ");
    expect(await readdir(join(directory, "daily"))).toHaveLength(1);
  });
});
