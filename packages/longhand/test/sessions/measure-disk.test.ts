import { link, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { measureDisk } from "../../src/sessions/measure-disk.ts";
import { withTemporaryDirectory } from "../support/fake-world.ts";

const never = (reason: string): never => {
  throw new Error(reason);
};

test("each part by its own, what is linked twice once, what is not there as nothing", async () => {
  await withTemporaryDirectory(async (directory) => {
    const put = async (path: string, bytes: number): Promise<void> => {
      await mkdir(join(directory, path, ".."), { recursive: true });
      await writeFile(join(directory, path), "x".repeat(bytes));
    };
    await put("a.jsonl", 10);
    await put("segments/01A/1.jsonl", 100);
    await put("segments/01B/other.jsonl", 1000);
    await link(join(directory, "segments/01A/1.jsonl"), join(directory, "segments/01B/1.jsonl"));
    await put("trash/b.01C.jsonl", 7);
    await put(".longhand/damaged/x", 3);
    await put("old.json.migrated", 40);
    await put(".longhand/leases/1", 2);
    expect(await measureDisk(directory, never)).toEqual({
      active: 10,
      segments: 1100,
      archive: 0,
      trash: 7,
      damaged: 3,
      journals: 0,
      other: 42,
    });
    expect(await measureDisk(join(directory, "nowhere"), never)).toMatchObject({ active: 0, segments: 0 });
  });
});

test("a part that cannot be looked at is told, and the others are measured", async () => {
  await withTemporaryDirectory(async (directory) => {
    await writeFile(join(directory, "a.jsonl"), "x");
    await writeFile(join(directory, "archive"), "a file where a directory should be");
    const reasons: string[] = [];
    expect(await measureDisk(directory, (reason) => reasons.push(reason))).toMatchObject({ trash: 0 });
    expect(reasons.join("\n")).toContain("ENOTDIR");
  });
});
