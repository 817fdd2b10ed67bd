/** Commands that may take long say how far they are; on a terminal only. The clock jumps, so that none needs to be long. */

import { expect, test } from "vitest";
import { run } from "../../src/run.ts";
import { fakeOutput } from "../support/fake-world.ts";
import { say, withHome } from "../support/with-home.ts";

/** Every look at the clock is a second later. */
async function runSlowly(
  home: string,
  words: readonly string[],
  errorWidth: number | undefined,
): Promise<string> {
  let now = Date.parse("2026-11-15T12:00:00.000Z");
  const output = fakeOutput(errorWidth === undefined ? {} : { errorWidth });
  const exitCode = await run(words, {
    output: { ...output, now: () => new Date((now += 1000)) },
    input: {
      isTerminal: false,
      read: () => Promise.resolve(Buffer.alloc(0)),
      readLine: () => Promise.resolve(""),
    },
    environment: { LONGHAND_HOME: home },
    currentDirectory: home,
    interruption: () => new AbortController().signal,
  });
  expect(exitCode).toBe(0);
  return output.complaints.join("");
}

test("a single large session moves the line while it is read", async () => {
  await withHome(
    async (store) => {
      for (let turn = 0; turn < 8; turn++) await say(store, "a", "x".repeat(300_000));
    },
    async (_longhand, home) => {
      const drawn = await runSlowly(home, ["verify"], 60);
      const percents = [...drawn.matchAll(/reading: (\d+) %/g)].map(([, percent]) => Number(percent));
      expect(percents.filter((percent) => percent > 0 && percent < 100).length).toBeGreaterThan(2);
      expect(percents).toEqual(percents.toSorted((one, other) => one - other));
    },
  );
});

test.each([
  ["list", /reading: 50 % · \d+ s/],
  ["list --json", /listing: 2 sessions · \d+ s/],
  // By a part of a key every session is looked at.
  ["show ey-a", /searching for the session: 33 % · \d+ s/],
  ["context ey-a", /searching for the session: 33 % · \d+ s/],
  ["undo ey-a", /searching for the session: 33 % · \d+ s/],
  ["search one", /searching: 25 % · \d+ s/],
  ["export a", /exporting: 50 % · \d+ s/],
  ["export a --format json", /exporting: 50 % · \d+ s/],
  ["export a --format jsonl", /exporting: 50 % · \d+ s/],
  ["export a --output OUT", /exporting: 100 % · \d+ s/],
  ["reclaim a", /reclaiming: 0 % · \d+ s/],
  ["reclaim a --dry-run", /measuring: 50 % · \d+ s/],
  ["verify", /reading: 50 % · \d+ s/],
  ["doctor", /reading: 50 % · \d+ s/],
])("longhand %s", async (commandLine, expected) => {
  await withHome(
    async (store) => {
      await say(store, "a", "one", "two");
      await say(store, "b", "one", "two");
      if (commandLine.includes("ey-a")) await say(store, "key-a", "one", "two");
    },
    async (_longhand, home) => {
      const words = commandLine.replace("OUT", `${home}/out.md`).split(" ");
      const drawn = await runSlowly(home, words, 60);
      expect(drawn).toMatch(expected);
      expect(drawn.endsWith("\r\u001b[K")).toBe(true);
      const again = words.includes("--output") ? [...words, "--force"] : words;
      expect(await runSlowly(home, again, undefined)).toBe("");
    },
  );
});
