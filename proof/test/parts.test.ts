/** The page that explains the proof names every part, and no other. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PARTS } from "../parts.ts";

test("docs/proof.md has a row for each part", () => {
  const page = readFileSync(new URL("../../docs/proof.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
  expect(rows.sort()).toEqual(PARTS.map(({ name }) => name).sort());
});
