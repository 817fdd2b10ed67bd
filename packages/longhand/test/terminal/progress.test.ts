import { expect, test } from "vitest";
import { showPercent, startProgress } from "../../src/terminal/progress.ts";
import { fakeOutput } from "../support/fake-world.ts";

test("is one line on a terminal, drawn now and then, and gone at the end", () => {
  const output = fakeOutput({ errorWidth: 40 });
  const progress = startProgress(output);
  const show = showPercent(progress, "reading");
  show(1, 3);
  // The clock stands still: too soon to be drawn again.
  show(2, 3);
  progress.end();
  expect(output.complaints).toEqual(["\r\u001b[Kreading: 33 %", "\r\u001b[K"]);
  expect(output.printed).toEqual([]);
});

test("of nothing is all of it; elsewhere than on a terminal nothing is drawn", () => {
  const output = fakeOutput({ errorWidth: 40 });
  showPercent(startProgress(output), "reading")(0, 0);
  expect(output.complaints).toEqual(["\r\u001b[Kreading: 100 %"]);
  const pipe = fakeOutput();
  const progress = startProgress(pipe);
  showPercent(progress, "reading")(1, 2);
  progress.end();
  expect(pipe.complaints).toEqual([]);
});
