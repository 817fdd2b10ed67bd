import { expect, test } from "vitest";
import type { SessionRecord } from "@longhand/store";
import { markLive } from "../../src/sessions/mark-live.ts";

async function* records(...seqs: readonly number[]): AsyncIterable<SessionRecord> {
  for (const seq of seqs) {
    yield await Promise.resolve({ seq, at: "", message: { role: "user", content: String(seq) } });
  }
}

async function marked(all: readonly number[], live: readonly number[]): Promise<string> {
  const marks: string[] = [];
  for await (const { record, isLive } of markLive(records(...all), records(...live))) {
    marks.push(isLive ? String(record.seq) : `(${record.seq})`);
  }
  return marks.join(" ");
}

test("records in the view are told from those that are not", async () => {
  expect(await marked([1, 2, 3, 4, 5], [2, 4])).toBe("(1) 2 (3) 4 (5)");
  expect(await marked([1, 2], [])).toBe("(1) (2)");
  expect(await marked([], [])).toBe("");
});

test("also when the range begins in the middle of the view", async () => {
  expect(await marked([4, 5], [2, 3, 4, 9])).toBe("4 (5)");
});

test("a reader who stops lets go of both", async () => {
  const released: string[] = [];
  async function* watched(name: string): AsyncIterable<SessionRecord> {
    try {
      yield* records(1, 2, 3);
    } finally {
      released.push(name);
    }
  }
  for await (const each of markLive(watched("all"), watched("live"))) {
    expect(each.isLive).toBe(true);
    break;
  }
  expect(released.sort()).toEqual(["all", "live"]);
});
