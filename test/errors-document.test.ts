import { AGENT_ERROR_CODES, PROBLEM_CODES } from "@longhand/agent";
import { LONGHAND_ERROR_CODES } from "@longhand/store";
import { expect, test } from "vitest";
import { readHeadings, readTableRows } from "./support/markdown.ts";
import { readProjectFile } from "./support/project.ts";

const headings = readHeadings(readProjectFile("docs/errors.md"));

test("docs/errors.md explains every error code there is, and no other, in the order of the union", () => {
  expect(headings.filter((heading) => /^[A-Z_]+$/.test(heading))).toEqual([...LONGHAND_ERROR_CODES]);
});

test("and every code of the agent, in its table", () => {
  const [, ofAgent = ""] = readProjectFile("docs/errors.md").split("## Of the agent");
  const codes = readTableRows(ofAgent).map(([code]) => code);
  expect(codes).toEqual([...AGENT_ERROR_CODES, ...PROBLEM_CODES].map((code) => `\`${code}\``));
});

test("each says what happened, what to do, and what the detail holds", () => {
  const sections = readProjectFile("docs/errors.md").split(/^### /m).slice(1);
  expect(sections).toHaveLength(LONGHAND_ERROR_CODES.length);
  for (const section of sections) {
    for (const part of ["**When.**", "**What to do.**", "**Detail.**"]) expect(section).toContain(part);
  }
});
