/** Moving sessions of an older version to the home, with a crash after every step and with writes by other processes in between. */

import { appendFile, lstat, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { openStore } from "@longhand/store";
import { describe, expect, test } from "vitest";
import { syncDirectory } from "../../src/config/sync-directory.ts";
import { readRecord } from "../../src/config/workspace-record.ts";
import type { MoveDeps } from "../../src/sessions/move-directory.ts";
import { moveOlder, planMove } from "../../src/sessions/move-older.ts";
import { withTemporaryDirectory } from "../support/fake-world.ts";

interface Left {
  readonly real: string;
  readonly state: string;
  readonly from: string;
  readonly to: string;
}

async function withLeft(use: (left: Left) => Promise<void>): Promise<void> {
  await withTemporaryDirectory(async (root) => {
    const [real, state] = [join(root, "shop"), join(root, "home/workspaces/shop~1")];
    const from = join(real, "sessions");
    await mkdir(from, { recursive: true, mode: 0o700 });
    const store = await openStore(from);
    await store.session("old").append({ role: "user", content: "from before" });
    await store.close();
    await use({ real, state, from, to: join(state, "sessions") });
  });
}

async function contentsIn(directory: string): Promise<readonly unknown[]> {
  const store = await openStore(directory, { readOnly: true });
  try {
    return (await store.session("old").messages()).map(({ content }) => content);
  } finally {
    await store.close();
  }
}

const exists = async (path: string): Promise<boolean> =>
  await lstat(path).then(
    () => true,
    () => false,
  );

/** The home is on another file system than the workspace. */
function otherFileSystem({ state }: Left, real: MoveDeps = disk): MoveDeps {
  return {
    ...real,
    rename: async (from, to) => {
      if (from.startsWith(state) !== to.startsWith(state))
        throw Object.assign(new Error("cross-device link"), { code: "EXDEV" });
      await real.rename(from, to);
    },
  };
}

const disk: MoveDeps = {
  rename,
  remove: async (path) => await rm(path, { recursive: true, force: true }),
  syncDirectory,
};

/** Every call of a disk as it happens, and a way to act before or after it. */
function observed(
  { rename: renameIt, remove, syncDirectory: sync }: MoveDeps,
  around: (call: string, run: () => Promise<void>) => Promise<void>,
): MoveDeps {
  return {
    rename: async (from, to) => await around(`rename ${from} ${to}`, async () => await renameIt(from, to)),
    remove: async (path) => await around(`remove ${path}`, async () => await remove(path)),
    syncDirectory: async (path) => await around(`sync ${path}`, async () => await sync(path)),
  };
}

/** As a kill: the call with this number is the last that happens. */
function killedAfter(count: number, deps: MoveDeps): MoveDeps {
  let calls = 0;
  return observed(deps, async (_call, run) => {
    if (calls >= count) throw new Error("killed");
    await run();
    if (++calls === count) throw new Error("killed");
  });
}

const KINDS: readonly (readonly [string, (left: Left) => MoveDeps])[] = [
  ["on one file system", () => disk],
  ["to another file system", (left) => otherFileSystem(left)],
];

describe.each(KINDS)("a move %s", (_kind, depsOf) => {
  test("that is killed after any step is completed by the next one, with every message", async () => {
    let killed: string | undefined = "killed";
    for (let step = 1; killed === "killed"; step++) {
      await withLeft(async (left) => {
        killed = await moveOlder(planMove(left), killedAfter(step, depsOf(left))).then(
          () => undefined,
          (error: unknown) => (error instanceof Error ? error.message : String(error)),
        );
        await moveOlder(planMove(left), depsOf(left));
        expect([step, await contentsIn(left.to)]).toEqual([step, ["from before"]]);
        expect([step, await readdir(left.real)]).toEqual([step, []]);
        expect((await readdir(left.state)).sort()).toEqual(["sessions", "workspace.json"]);
        await moveOlder(planMove(left), depsOf(left));
        expect([step, planMove(left).moves, killed ?? "killed"]).toEqual([step, [], "killed"]);
      });
    }
  });

  test("is durable in both directories before the record says that it is done", async () => {
    await withLeft(async (left) => {
      const calls: string[] = [];
      const deps = observed(depsOf(left), async (call, run) => {
        expect(readRecord(left.state)).toMatchObject({ left: ["sessions"] });
        await run();
        calls.push(call);
      });
      await moveOlder(planMove(left), deps);
      const placed = calls.findIndex((call) => call.endsWith(` ${left.to}`));
      expect(calls.slice(placed)).toEqual(
        expect.arrayContaining([`sync ${left.state}`, `sync ${left.real}`]),
      );
      expect(readRecord(left.state)).toMatchObject({ left: [] });
    });
  });
});

describe("a write of another process during a copy to another file system", () => {
  const APPENDED = "appended by another process\n";

  /** Appends to every session file at `where` before the first call that matches. */
  function appending(deps: MoveDeps, matches: (call: string) => boolean, where: string): MoveDeps {
    let isDone = false;
    return observed(deps, async (call, run) => {
      if (!isDone && matches(call)) {
        isDone = true;
        const names = (await readdir(where)).filter((name) => name.endsWith(".jsonl"));
        for (const name of names) await appendFile(join(where, name), APPENDED);
      }
      await run();
    });
  }

  async function isKept(directory: string): Promise<boolean> {
    const names = (await readdir(directory)).filter((name) => name.endsWith(".jsonl"));
    const texts = await Promise.all(names.map(async (name) => await readFile(join(directory, name), "utf8")));
    return texts.some((text) => text.includes(APPENDED));
  }

  test("after its file was copied: nothing is moved, and the next move takes it along", async () => {
    await withLeft(async (left) => {
      const deps = otherFileSystem(left);
      const moved = `${left.from}.moved`;
      const late = appending(deps, (call) => call === `rename ${left.from} ${moved}`, left.from);
      await expect(moveOlder(planMove(left), late)).rejects.toMatchObject({ code: "MOVE_REFUSED" });
      expect([await isKept(left.from), await exists(left.to), await exists(moved)]).toEqual([
        true,
        false,
        false,
      ]);
      await moveOlder(planMove(left), deps);
      expect(await isKept(left.to)).toBe(true);
    });
  });

  test("after the last look: the original is kept, and said where", async () => {
    await withLeft(async (left) => {
      const moved = `${left.from}.moved`;
      const late = appending(
        otherFileSystem(left),
        (call) => call === `rename ${left.to}.moving ${left.to}`,
        moved,
      );
      await expect(moveOlder(planMove(left), late)).rejects.toThrow(moved);
      expect(await isKept(moved)).toBe(true);
      await expect(moveOlder(planMove(left), otherFileSystem(left))).rejects.toThrow(moved);
      expect(await isKept(moved)).toBe(true);
    });
  });

  test("a process that opens the store just before it is set aside keeps it", async () => {
    await withLeft(async (left) => {
      let store: Awaited<ReturnType<typeof openStore>> | undefined;
      const deps = observed(otherFileSystem(left), async (call, run) => {
        if (store === undefined && call === `rename ${left.from} ${left.from}.moved`) {
          store = await openStore(left.from);
          await store.session("old").append({ role: "user", content: "meanwhile" });
        }
        await run();
      });
      await expect(moveOlder(planMove(left), deps)).rejects.toThrow("is open in another process");
      await store?.close();
      expect(await contentsIn(left.from)).toEqual(["from before", "meanwhile"]);
    });
  });
});
