/**
 * What a start costs in a home with many sessions: while the catalog is fresh, no session file is opened for what it knows. Counted in the
 * programs themselves, not timed.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openStore } from "@longhand/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PROGRAM } from "./support/serving.ts";
import { withTemporaryDirectory } from "./support/fake-world.ts";

const COUNTING = fileURLToPath(new URL("support/count-opens.mjs", import.meta.url));
const SESSIONS = 60;
/** A session that was changed more lately than this is not in the catalog. */
const SETTLED_MS = 2100;

let home = "";
let end = (): void => undefined;
let removed: Promise<void>;

beforeAll(async () => {
  await expect(stat(PROGRAM), "run `npm run build` first").resolves.toBeDefined();
  await new Promise<void>((resolve) => {
    removed = withTemporaryDirectory(async (directory) => {
      home = directory;
      await new Promise<void>((done) => {
        end = done;
        resolve();
      });
    });
  });
  const store = await openStore(join(home, "sessions"));
  for (let number = 0; number < SESSIONS; number++) {
    const session = store.session(`talk-${number}`);
    await session.append({ role: "user", content: `question ${number}` });
    await session.setTitle(`Talk ${number}`);
  }
  await store.close();
  await makeFresh();
});

afterAll(async () => {
  end();
  await removed;
});

/** As any start of an agent leaves it, once everything has settled. */
async function makeFresh(): Promise<void> {
  await sleep(SETTLED_MS);
  await longhand(["serve", "--stdio"]);
}

interface Run {
  readonly stdout: string;
  readonly stderr: string;
  /** By the name of the session file. */
  readonly opens: Readonly<Record<string, number>>;
}

async function longhand(words: readonly string[]): Promise<Run> {
  const child = spawn(process.execPath, ["--import", COUNTING, PROGRAM, ...words], {
    cwd: home,
    env: { PATH: process.env["PATH"], LONGHAND_HOME: home },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const read = async (stream: unknown): Promise<string> => {
    let text = "";
    for await (const chunk of (stream as Readable).setEncoding("utf8")) text += String(chunk);
    return text;
  };
  const ended = once(child, "close");
  const [stdout, stderr, counted] = await Promise.all([
    read(child.stdout),
    read(child.stderr),
    read(child.stdio[3]),
  ]);
  await ended;
  return { stdout, stderr, opens: JSON.parse(counted) as Run["opens"] };
}

test("list opens no session file", async () => {
  const { stdout, opens } = await longhand(["list"]);
  expect(stdout).toContain("Talk 59");
  expect(opens).toEqual({});
});

test("list still names a file that is no session", async () => {
  const other = join(home, "sessions", "notes.jsonl");
  await writeFile(other, "not a session\n");
  await sleep(SETTLED_MS);
  const { stderr } = await longhand(["list"]);
  await rm(other);
  expect(stderr).toContain("notes.jsonl: not a session; ignored");
});

test("list without a catalog opens every session: the count counts", async () => {
  await rm(join(home, "sessions", ".longhand", "cache", "catalog"));
  const { opens } = await longhand(["list"]);
  expect(Object.keys(opens)).toHaveLength(SESSIONS);
  await makeFresh();
});

test("doctor reads each session twice: whether it is ours, and all of it", async () => {
  const { stdout, opens } = await longhand(["doctor"]);
  expect(stdout).toContain("No problems found.");
  expect(Object.entries(opens).filter(([name, times]) => name.startsWith("talk-") && times > 2)).toEqual([]);
});

// It looks at those of channels one by one, for turns that a crash has left open: the catalog does not know of them.
test("serve opens no session file of a conversation that is no channel's", async () => {
  const { opens } = await longhand(["serve", "--stdio"]);
  expect(Object.keys(opens).filter((name) => name.startsWith("talk-"))).toEqual([]);
});

test("chat --continue opens the session that it continues, and no other", async () => {
  const { stdout, opens } = await longhand(["chat", "--continue", "--model", "offline", "-m", "help"]);
  expect(stdout).not.toBe("");
  expect(Object.keys(opens).filter((name) => name.startsWith("talk-"))).toEqual(["talk-59.jsonl"]);
});
