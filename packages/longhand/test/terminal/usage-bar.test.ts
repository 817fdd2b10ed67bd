import { expect, test } from "vitest";
import { shareColumns, usageBar } from "../../src/terminal/usage-bar.ts";
import { fakeOutput } from "../support/fake-world.ts";

test.each([
  [[0, 0, 1, 9999], 10, [0, 0, 1, 9]],
  [[50, 50], 10, [5, 5]],
  [[1, 1, 1], 10, [4, 3, 3]],
  [[0, 0, 5], 7, [0, 0, 7]],
])("%j in %d columns", (amounts, width, expected) => {
  expect(shareColumns(amounts, width)).toEqual(expected);
});

test("every part has its line with its share; a little is not nothing, and almost all is not all", () => {
  const plain = (text: string): string => text;
  const lines = usageBar(
    [
      { name: "used", amount: 3, sign: "#", color: plain, remark: "so far" },
      { name: "none", amount: 0, sign: "-", color: plain },
      { name: "free", amount: 997, sign: "·", color: plain },
    ],
    fakeOutput({ width: 12 }),
  );
  expect(lines).toEqual([
    "[#·········]",
    "# used    3   <1 %  so far",
    "- none    0    0 %",
    "· free  997   99 %",
  ]);
});
