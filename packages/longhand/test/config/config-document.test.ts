/** docs/config.md, longhand.schema.json and the schema speak of the same fields. */

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { readTableRows } from "../../../../test/support/markdown.ts";
import { OVERRIDES } from "../../src/config/environment-overrides.ts";
import { knownFields } from "../../src/config/known-fields.ts";
import { settingsJsonSchema } from "../../src/config/settings-schema.ts";

const read = async (path: string): Promise<string> =>
  await readFile(new URL(`../../../../${path}`, import.meta.url), "utf8");

test("the published schema is the one that is used", async () => {
  const published: unknown = JSON.parse(await read("packages/longhand/longhand.schema.json"));
  expect(published).toEqual(JSON.parse(JSON.stringify(settingsJsonSchema())));
});

test("every field is described", () => {
  const fields = knownFields();
  expect(fields.length).toBeGreaterThan(25);
  for (const { path, description } of fields) expect(description, path).toMatch(/\S.*\.$/);
});

test("the page has a row for each field, with its type, default and description, and no other", async () => {
  const rows = readTableRows(await read("docs/config.md")).filter(([first = ""]) => /^`[a-z$]/.test(first));
  const expected = knownFields().map(({ path, type, default: standard, description }) => [
    `\`${path}\``,
    type,
    standard === undefined ? "–" : `\`${JSON.stringify(standard)}\``,
    description,
  ]);
  expect(rows).toEqual(expected);
});

test("the page names every variable and what it stands for", async () => {
  const rows = readTableRows(await read("docs/config.md")).filter(([first = ""]) => /^`[A-Z]/.test(first));
  const variables = OVERRIDES.map(({ name, field }) => [`\`${name}\``, `\`${field.join(".")}\``]);
  expect(rows.map((cells) => cells.slice(0, 2))).toEqual([
    ...variables,
    ["`OPENAI_API_KEY`", "the key of `openai:` models"],
    ["`ANTHROPIC_API_KEY`", "the key of `anthropic:` models"],
  ]);
});
