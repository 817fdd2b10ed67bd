/** Only the session that was asked for decides what `show`, `export`, `context` and their like report, and their exit code. */

import { readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Store } from "@longhand/store";
import { type Longhand, say, withHome } from "../support/with-home.ts";

async function spoil(file: string, word: string): Promise<void> {
  const text = await readFile(file, "utf8");
  expect(text).toContain(word);
  await writeFile(file, text.replace(word, word.toUpperCase()));
}

/** Three sessions: `good-one` is sound, `bad-line` has a damaged record, `bad-header` a damaged header. */
async function withDamagedNeighbours(
  use: (longhand: Longhand, sessions: string) => Promise<void>,
): Promise<void> {
  const fill = async (store: Store): Promise<void> => {
    await say(store, "good-one", "hello");
    await say(store, "bad-line", "alpha", "beta");
    await say(store, "bad-header", "gamma");
  };
  await withHome(fill, async (longhand, _home, sessions) => {
    await spoil(join(sessions, "bad-line.jsonl"), '"alpha"');
    await spoil(join(sessions, "bad-header.jsonl"), '"key"');
    await use(longhand, sessions);
  });
}

describe("a sound session, asked for by a part of its key while others are damaged", () => {
  test.each([
    "show good",
    "show good --json",
    "export good",
    "export good --format jsonl",
    "context good",
    "context good --json",
    "tail good --no-follow",
    "compact good --dry-run",
    "fork good fork-of-it",
    "rename good Title",
    "undo good",
  ])("%s: exit code 0 and no warnings about the others", async (command) => {
    await withDamagedNeighbours(async (longhand) => {
      const { exitCode, stderr, stdout } = await longhand(command);
      expect([exitCode, stderr]).toEqual([0, ""]);
      expect(stdout).not.toBe("");
    });
  });
});

describe("a session with a damaged record", () => {
  test.each(["show", "export", "context"])("%s: exit code 1 by a part and by the whole key", async (name) => {
    await withDamagedNeighbours(async (longhand) => {
      for (const key of ["bad-l", "bad-line"]) {
        const { exitCode, stderr } = await longhand(`${name} ${key}`);
        expect([exitCode, stderr]).toEqual([1, expect.stringContaining("bad-line.jsonl: corrupt")]);
        expect(stderr).not.toContain("bad-header");
      }
    });
  });
});

describe("a session with a damaged header", () => {
  test.each([
    "show",
    "export",
    "context",
    "tail --no-follow",
    "undo",
    "archive",
    "restore",
    "compact --dry-run",
  ])("%s names it when a part of its key is asked for", async (name) => {
    await withDamagedNeighbours(async (longhand, sessions) => {
      const { exitCode, stdout, stderr } = await longhand(`${name} d-head`);
      expect([exitCode, stdout]).toEqual([1, ""]);
      expect(stderr).toContain(`${join(sessions, "bad-header.jsonl")} is damaged`);
      expect(stderr).not.toContain("no session has");
      expect(stderr).not.toContain("bad-line");
      const json = JSON.parse((await longhand(`${name} d-head --json`)).stderr) as unknown;
      expect(json).toMatchObject({ error: { code: "SESSION_DAMAGED" } });
    });
  });

  test("is named for a key whose file name is only like it", async () => {
    await withHome(
      async (store) => say(store, "Telegram:12 34", "hello"),
      async (longhand, _home, sessions) => {
        const [name = ""] = (await longhand("list --json")).stdout.match(/telegram_12_34/) ?? [
          "telegram_12_34",
        ];
        const { readdir } = await import("node:fs/promises");
        const file = (await readdir(sessions)).find((each) => each.startsWith(name)) ?? "";
        await spoil(join(sessions, file), '"key"');
        const { exitCode, stderr } = await longhand("show gram:12_3");
        expect([exitCode, stderr]).toEqual([1, expect.stringContaining("is damaged")]);
      },
    );
  });

  test("an empty file is no session of any key, and says what to do", async () => {
    await withHome(
      async (store) => say(store, "k", "hello"),
      async (longhand, _home, sessions) => {
        await truncate(join(sessions, "k.jsonl"), 0);
        const { exitCode, stderr } = await longhand("show k");
        expect(exitCode).not.toBe(0);
        expect(stderr).toContain("k");
      },
    );
  });

  test("another key that no file is like stays unknown: exit code 3", async () => {
    await withDamagedNeighbours(async (longhand) => {
      const { exitCode, stderr } = await longhand("show zebra");
      expect([exitCode, stderr]).toEqual([3, expect.stringContaining("no session has “zebra” in its key")]);
    });
  });
});
