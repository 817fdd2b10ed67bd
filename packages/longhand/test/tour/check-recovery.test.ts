import { describe, expect, test } from "vitest";
import type { SessionRecord } from "@longhand/store";
import { checkRecovery, type Acknowledgement } from "../../src/tour/check-recovery.ts";
import { writerText } from "../../src/tour/writer-text.ts";

const record = (seq: number, number: number = seq): SessionRecord => ({
  seq,
  at: "",
  message: { role: "user", content: writerText(number) },
});
const records = (count: number): SessionRecord[] =>
  Array.from({ length: count }, (_, index) => record(index + 1));
const acknowledged = (...numbers: readonly number[]): Acknowledgement[] =>
  numbers.map((number) => ({ number, seq: number }));

describe("what the tour checks after the kill", () => {
  test("everything acknowledged is there, and perhaps more: no fault", () => {
    expect(checkRecovery(acknowledged(1, 2, 3), records(3))).toEqual([]);
    expect(checkRecovery(acknowledged(1, 3), records(5))).toEqual([]);
  });

  test("a lost record is found out", () => {
    expect(checkRecovery(acknowledged(1, 2, 3), records(2))).toEqual(["seq 3 was acknowledged and is lost"]);
    expect(checkRecovery(acknowledged(1), [])).toHaveLength(1);
  });

  test("so is a gap", () => {
    expect(checkRecovery([], [record(1), record(3)])).not.toEqual([]);
  });

  test("so is another text, or another order", () => {
    expect(checkRecovery([], [record(1, 2), record(2, 1)])).toHaveLength(2);
    expect(
      checkRecovery([], [{ seq: 1, at: "", message: { role: "user", content: `${writerText(1)}x` } }]),
    ).toHaveLength(1);
  });

  test("so is an acknowledgement for another place", () => {
    expect(checkRecovery([{ number: 1, seq: 2 }], records(2))).toHaveLength(1);
  });
});
