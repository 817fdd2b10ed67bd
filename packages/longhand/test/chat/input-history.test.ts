import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { InputHistory } from "../../src/chat/input-history.ts";
import { withTemporaryDirectory } from "../support/fake-world.ts";

describe("what was typed", () => {
  test("is kept exactly, in order, for its owner only", async () => {
    await withTemporaryDirectory(async (directory) => {
      const file = join(directory, "home", "chat-history");
      const problems: string[] = [];
      const history = new InputHistory(file, (problem) => problems.push(problem));
      expect(await history.read()).toEqual([]);
      history.add("one\ntwo");
      history.add('"quoted" 数据');
      history.add("x".repeat(10_001));
      await history.close();
      expect(await history.read()).toEqual(["one\ntwo", '"quoted" 数据']);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(problems).toEqual([]);
    });
  });

  test("a line that was torn is passed over, a file that others can read is closed to them, a long one shortened", async () => {
    await withTemporaryDirectory(async (directory) => {
      const file = join(directory, "chat-history");
      const lines = Array.from({ length: 2500 }, (_, index) => `"entry ${index}"\n`).join("");
      await writeFile(file, `${lines}"torn\n17\n"last"\n`);
      await chmod(file, 0o644);
      const read = await new InputHistory(file, () => undefined).read();
      expect(read.at(-1)).toBe("last");
      expect(read).toHaveLength(998);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect((await readFile(file, "utf8")).trim().split("\n")).toHaveLength(1000);
    });
  });

  test("where it cannot be kept that is said once, and the chat goes on", async () => {
    await withTemporaryDirectory(async (directory) => {
      const file = join(directory, "chat-history");
      await mkdir(file);
      const problems: string[] = [];
      const history = new InputHistory(file, (problem) => problems.push(problem));
      expect(await history.read()).toEqual([]);
      history.add("one");
      history.add("two");
      await history.close();
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain("is not kept for the next time");
    });
  });
});
