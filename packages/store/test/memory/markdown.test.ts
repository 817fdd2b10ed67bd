/** The Markdown: what it looks like, and that no edit by hand is ever lost. */

import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Host } from "../../src/host/host.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { END_OF_PAGE } from "../../src/memory/markdown/page-end.ts";
import type { Memory, MemoryEntry } from "../../src/memory/types.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";
import { memoryIn, savedLongAgo } from "./support/memory-in.ts";

let directory: string;
let memory: Memory;
const ann = { user: "ann" } as const;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  memory = await memoryIn(directory);
});
afterEach(async () => {
  await memory.close();
  await removeDirectory(directory);
});

async function page(name = "MEMORY.md"): Promise<string> {
  return await readFile(join(directory, name), "utf8");
}

/** As people do it: above the last line. */
async function edit(change: (text: string) => string, name = "MEMORY.md"): Promise<void> {
  const [text = "", ...rest] = (await page(name)).split(`\n${END_OF_PAGE}`);
  await writeFile(join(directory, name), [change(text), ...rest].join(`\n${END_OF_PAGE}`));
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

describe("the pages", () => {
  test("show what is current, by scope and by day, privately", async () => {
    const core = await memory.remember({ text: "closes at six", scope: {} });
    const tea = await memory.remember({ text: "likes\ntea <!-- really", scope: { user: 'a"n\n#' } });
    const daily = await memory.remember({ text: "asked for tea", kind: "daily", scope: ann });
    await memory.refresh();
    const day = daily.at.slice(0, 10);
    const head = /^# Memory\n\n<!-- longhand [0-9a-f]{16}\. [^\n]* -->\n\n/u;
    expect(await page()).toMatch(head);
    expect((await page()).replace(head, "")).toBe(
      `## Everyone\n\n- closes at six <!-- ${core.id} -->\n\n` +
        `## user "a\\"n\\n#"\n\n- likes<br>tea &lt;!-- really <!-- ${tea.id} -->\n\n<!-- longhand: end of page -->\n`,
    );
    expect(await page(`daily/${day}.md`)).toContain(`# ${day}\n`);
    expect(await page(`daily/${day}.md`)).toContain(
      `## user "ann"\n\n- asked for tea <!-- ${daily.id} -->\n`,
    );
    for (const name of ["MEMORY.md", `daily/${day}.md`, ".rendered.json"]) {
      expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(join(directory, "daily"))).mode & 0o777).toBe(0o700);
  });

  test("are written only where something has changed, and nothing is left beside them", async () => {
    await remembered("one");
    const before = await stat(join(directory, "MEMORY.md"));
    expect(await memory.refresh()).toEqual([]);
    expect((await stat(join(directory, "MEMORY.md"))).ino).toBe(before.ino);
    expect((await readdir(directory)).toSorted()).toEqual([".rendered.json", "MEMORY.md", "daily", "store"]);
  });

  test("what an unfinished write has left goes when the memory is opened", async () => {
    await memory.close();
    const left = join(directory, ".longhand-01ARZ3NDEKTSV4RRFFQ69G5FAV.tmp");
    await writeFile(left, "half");
    memory = await memoryIn(directory);
    expect(await readdir(directory)).not.toContain(".longhand-01ARZ3NDEKTSV4RRFFQ69G5FAV.tmp");
  });
});

describe("edits by hand", () => {
  test("a changed line is a new entry in the place of the old one", async () => {
    const [tea] = await remembered("likes tea", "has a boat");
    await edit((text) => text.replace("likes tea", "likes coffee"));
    const taken = await memory.refresh();
    expect(taken).toMatchObject([
      { text: "likes coffee", scope: ann, supersedes: [tea?.id], source: { by: "hand", file: "MEMORY.md" } },
    ]);
    expect(await texts()).toEqual(["has a boat", "likes coffee"]);
    expect((await memory.entry(tea?.id ?? ""))?.status).toBe("superseded");
    expect(await page()).toContain(`- likes coffee <!-- ${taken[0]?.id ?? "?"} -->`);
    expect(await memory.refresh()).toEqual([]);
  });

  test("a new line is a new entry of the section it stands in", async () => {
    await remembered("likes tea");
    await edit(
      (text) =>
        `- at the top\n${text}* of ann's,\n  on two lines\n\n## user bob\n+ of bob's\n\n## Everyone\n\n- of all\n`,
    );
    await memory.refresh();
    expect(await texts()).toEqual(["likes tea", "of ann's,\non two lines"]);
    expect(await texts({ user: "bob" })).toEqual(["of bob's"]);
    expect((await texts({})).toSorted()).toEqual(["at the top", "of all"]);
  });

  test("a removed line is taken back, with what it had replaced, and kept in the log", async () => {
    const [tea] = await remembered("likes tea", "has a boat");
    await memory.remember({ text: "likes coffee", scope: ann, supersedes: [tea?.id ?? ""] });
    await memory.refresh();
    await edit((text) => text.replace(/^- likes coffee.*\n/mu, ""));
    await memory.refresh();
    expect(await texts()).toEqual(["has a boat"]);
    const all = await memory.entries({ scope: ann, all: true });
    expect(all.filter(({ status }) => status === "undone").map(({ text }) => text)).toEqual([
      "likes tea",
      "likes coffee",
    ]);
  });

  test("a line that was remembered after the page was written is not taken for removed", async () => {
    await remembered("likes tea");
    await memory.remember({ text: "has a boat", scope: ann });
    await edit((text) => text.replace("likes tea", "likes coffee"));
    await memory.refresh();
    expect((await texts()).toSorted()).toEqual(["has a boat", "likes coffee"]);
  });

  test("a line that is moved to another section belongs there", async () => {
    await remembered("likes tea", "has a boat");
    const line = /^- likes tea.*\n/mu.exec(await page())?.[0] ?? "?";
    await edit((text) => `${text.replace(line, "")}\n## user "bob"\n\n${line}`);
    await memory.refresh();
    expect(await texts()).toEqual(["has a boat"]);
    expect(await texts({ user: "bob" })).toEqual(["likes tea"]);
  });

  test("a copied line that is changed is one more; a line changed to the words of another is one less", async () => {
    await remembered("likes tea", "has a boat");
    await edit((text) => text.replace(/^(- likes )tea(.*\n)/mu, "$1tea$2$1milk$2"));
    await memory.refresh();
    expect(await texts()).toEqual(["likes tea", "has a boat", "likes milk"]);
    await edit((text) => text.replace("likes milk", "has a boat"));
    await memory.refresh();
    expect(await texts()).toEqual(["likes tea", "has a boat"]);
  });

  test("a line of a day belongs to that day, also on a page that a person has made", async () => {
    await writeFile(join(directory, "daily", "2020-02-29.md"), "## user ann\n- was born\n");
    await writeFile(join(directory, "daily", "2020-02-31.md"), "- never was\n");
    for (const day of ["2020-02-29", "2020-02-31"]) await savedLongAgo(join(directory, "daily", `${day}.md`));
    await memory.refresh();
    const entries = await memory.everything();
    expect(entries).toMatchObject([
      { text: "was born", kind: "daily", at: "2020-02-29T00:00:00.000Z", scope: ann },
    ]);
    expect(await page("daily/2020-02-31.md")).toBe("- never was\n");
  });

  test("are taken in when the memory is opened and when it is closed", async () => {
    await remembered("likes tea");
    await edit((text) => text.replace("likes tea", "likes coffee"));
    await memory.close();
    await edit((text) => `${text}- has a boat\n`);
    memory = await memoryIn(directory);
    expect(await texts()).toEqual(["likes coffee", "has a boat"]);
  });

  test("a page that is gone or empty is written again: that is no wish to forget everything", async () => {
    await remembered("likes tea");
    const before = await page();
    await rm(join(directory, "MEMORY.md"));
    await memory.refresh();
    expect(await page()).toBe(before);
    await writeFile(join(directory, "MEMORY.md"), "");
    await savedLongAgo(join(directory, "MEMORY.md"));
    await memory.refresh();
    expect(await page()).toBe(before);
  });

  test("the same page taken in again changes nothing: a crash came before it was written", async () => {
    await remembered("likes tea", "has a boat");
    await edit(
      (text) => `${text.replace("likes tea", "likes coffee").replace(/^- has a boat.*\n/mu, "")}- new\n`,
    );
    const [edited, rendered] = [await page(), await page(".rendered.json")];
    await memory.refresh();
    const before = await memory.everything({ all: true });
    await writeFile(join(directory, "MEMORY.md"), edited);
    await writeFile(join(directory, ".rendered.json"), rendered);
    expect(await memory.refresh()).toEqual([]);
    expect(await memory.everything({ all: true })).toEqual(before);
    expect(await texts()).toEqual(["likes coffee", "new"]);
  });

  test("what is not understood stays, under Notes, word for word", async () => {
    await remembered("likes tea");
    const foreign = "A paragraph.\n\n## Ideas\n\n- not of a known scope\n\n```\n# code\n```";
    await edit((text) => `${text}\n${foreign}\n`);
    for (let count = 0; count < 3; count++) expect(await memory.refresh()).toEqual([]);
    expect(await page()).toContain(`## Notes\n\n${foreign}\n`);
    expect(await texts()).toEqual(["likes tea"]);
    expect(await texts({})).toEqual([]);
    await memory.remember({ text: "more", scope: ann });
    await memory.refresh();
    expect(await page()).toContain(`## Notes\n\n${foreign}\n`);
  });

  test("a page that is no text is put aside, not thrown away", async () => {
    await memory.refresh();
    const bytes = Buffer.from([0x2d, 0x20, 0xff, 0xfe, 0x0a]);
    await writeFile(join(directory, "MEMORY.md"), bytes);
    await memory.refresh();
    const aside = (await readdir(directory)).find((name) => name.startsWith("MEMORY.md.not-text-"));
    expect(await readFile(join(directory, aside ?? "?"))).toEqual(bytes);
    expect(await page()).toContain("# Memory");
  });
});

describe("an edit between reading and writing", () => {
  /** Somebody saves the page at the moment at which its next version is complete beside it. */
  function interruptedBy(save: () => Promise<void>): Host {
    let isDone = false;
    const files = {
      ...nodeHost.files,
      stat: async (path: string) => {
        const others = await readdir(directory);
        if (!isDone && path.endsWith("MEMORY.md") && others.some((name) => name.endsWith(".tmp"))) {
          isDone = true;
          await save();
        }
        return await nodeHost.files.stat(path);
      },
    };
    return { ...nodeHost, files };
  }

  test("is taken in too, and not written over", async () => {
    await remembered("likes tea");
    await memory.close();
    let saves = 0;
    const host = interruptedBy(async () => {
      saves += 1;
      await edit((text) => `${text}- saved meanwhile\n`);
    });
    memory = await memoryIn(directory, host);
    await memory.remember({ text: "has a boat", scope: ann });
    expect((await memory.refresh()).map(({ text }) => text)).toEqual(["saved meanwhile"]);
    expect(saves).toBe(1);
    expect(await texts()).toEqual(["likes tea", "has a boat", "saved meanwhile"]);
    expect(await page()).toContain("- saved meanwhile <!--");
  });

  test("and this would be noticed: who does not look again writes over it", async () => {
    await remembered("likes tea");
    await memory.close();
    const real = interruptedBy(async () => await edit((text) => `${text}- saved meanwhile\n`));
    // What it sees of the page is always what it saw first.
    let first: Awaited<ReturnType<Host["files"]["stat"]>>;
    const blind = async (path: string): Promise<typeof first> => {
      const found = await real.files.stat(path);
      return path.endsWith("MEMORY.md") ? (first ??= found) : found;
    };
    memory = await memoryIn(directory, { ...real, files: { ...real.files, stat: blind } });
    await memory.remember({ text: "has a boat", scope: ann });
    await memory.refresh();
    expect(await texts()).toEqual(["likes tea", "has a boat"]);
    expect(await page()).not.toContain("saved meanwhile");
  });
});
