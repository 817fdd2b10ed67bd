/** The searches of known dangers end, and the quick ones are run; the control shows that one of them can fail. */

import { describe, expect, test } from "vitest";
import { searchLines } from "../dangers/waiting-line.ts";
import { searchTornTails } from "../dangers/torn-tails.ts";
import { dangers } from "../dangers/part.ts";
import { Violation } from "../part.ts";

const nobody = { count: () => undefined, distinct: () => undefined, note: () => undefined };

describe("the known dangers", () => {
  test("who stands in line has his turn in the order of the line", async () => {
    expect(await searchLines()).toBeGreaterThan(0);
  });

  test("torn tails are kept, wherever the file was cut", { timeout: 60_000 }, async () => {
    expect(await searchTornTails()).toBeGreaterThan(100);
  });

  test(
    "the control fails: an instance that does not see its fence answers for what is lost",
    { timeout: 60_000 },
    async () => {
      await expect(dangers.control(nobody)).rejects.toThrow(Violation);
    },
  );
});
