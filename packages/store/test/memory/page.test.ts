/** Pages come back as they were written, whatever is in the entries and in the notes. */

import { describe, expect, test } from "vitest";
import { shownText } from "../../src/memory/markdown/bullet.ts";
import { headingOf, parseHeading } from "../../src/memory/markdown/heading.ts";
import { parsePage, renderPage } from "../../src/memory/markdown/page.ts";
import type { MemoryEntry, Scope } from "../../src/memory/types.ts";
import { SeededRandom } from "../../src/testing/index.ts";

const PIECES = [
  ...Array.from("a -*+#<>&`[]()!\t\r\n\\\"'|"),
  "\n## Notes\n",
  "\n## Everyone\n",
  "\n- ",
  "<!-- ",
  " -->",
  "<!-- 01ARZ3NDEKTSV4RRFFQ69G5FAV -->",
  "<!-- longhand 0123456789abcdef. -->",
  "<br>",
  "\n```\n",
  "\n~~~~\n",
  "\n<!--\n",
  "\n---\n",
  "\n ##\n",
  "&lt;!--",
  "\n# Memory\n",
  "\n<!-- longhand: end of page -->\n",
  "\u0000",
  "\u2028",
  "\ud800",
  "👩‍👧",
  "你好",
];

function randomText(random: SeededRandom): string {
  return Array.from({ length: 1 + random.below(12) }, () => PIECES[random.below(PIECES.length)] ?? "a").join(
    "",
  );
}

function entryOf(number: number, text: string, scope: Scope): MemoryEntry {
  const id = `01ARZ3NDEKTSV4RRFF${String(number).padStart(8, "0")}`;
  const rest = { source: { by: "request" }, confidence: 1, supersedes: [], status: "current" } as const;
  return { id, kind: "core", scope, text, at: "2026-11-15T19:24:12.123Z", ...rest };
}

test("whatever was rendered is read back: ids, words and scopes", () => {
  const random = new SeededRandom(11);
  for (let round = 0; round < 500; round++) {
    const scopes: Scope[] = [
      {},
      { user: `u${randomText(random)}` },
      { channel: "c", agent: randomText(random) },
    ];
    const sections = scopes.map((scope, index) => ({
      scope,
      entries: [0, 1, 2].map((number) => entryOf(index * 3 + number, `x${randomText(random)}`, scope)),
    }));
    const { text, stamp } = renderPage("Memory", sections, "");
    const page = parsePage("Memory", text);
    expect(page.stamp).toBe(stamp);
    expect(page.notes).toBe("");
    expect(page.sections.map(({ scope }) => scope)).toStrictEqual(scopes);
    for (const [index, { entries }] of page.sections.entries()) {
      const written = sections[index]?.entries ?? [];
      expect(entries.map(({ id }) => id)).toEqual(written.map(({ id }) => id));
      expect(entries.map((bullet) => shownText(bullet.text))).toEqual(
        written.map((entry) => shownText(entry.text)),
      );
    }
  }
});

test("notes are kept word for word, however often they are written, and nothing else comes of them", () => {
  const random = new SeededRandom(12);
  for (let round = 0; round < 500; round++) {
    const own = `${randomText(random)}\n${randomText(random)}`.toWellFormed();
    const first = parsePage("Memory", own);
    const entries = first.sections.flatMap((section) => section.entries);
    const once = renderPage("Memory", [], first.notes);
    const again = parsePage("Memory", once.text);
    expect(again.notes).toBe(first.notes);
    expect(renderPage("Memory", [], again.notes).text).toBe(once.text);
    // Every letter of the page is in a note, in an entry, or is ours.
    const kept = first.notes + entries.map(({ text }) => text).join("");
    for (const letters of ["你好", "👩‍👧"]) expect(count(kept, letters)).toBe(count(own, letters));
  }
});

describe("a list is nobody's where it stands under what is no scope", () => {
  test.each([
    "Title\n====\n- x",
    "Title\n---\n\n- x",
    "Two\nlines\n  -  \n- x",
    " ## Bob\n- x",
    '   ## user "bob"\n\n- x',
    "##\n- x",
    "#\n- x",
    "##\tBob\n- x",
    "<h2>Bob</h2>\n- x",
    "```\n- x\n```",
    "``` md\n## user bob\n- x\n\n- x\n`````",
    "~~~\n- x\n```\n- x\n~~~",
    "  ~~~~\n- x\n~~~\n- x\n  ~~~~",
    "```\n- x",
    "<!--\n- x\n-->",
    "<!-- not now:\n\n## Everyone\n\n- x -->",
    "<!-- never closed\n- x",
  ])("%j", (own) => {
    for (const before of ["", "- tea\n", "- tea\n  and milk\n"]) {
      const page = parsePage("Memory", `## user ann\n\n${before}${own}\n`);
      const read = page.sections.map(({ scope, entries }) => [scope, entries.map(({ text }) => text)]);
      const tea = before.includes("milk") ? "tea\nand milk" : "tea";
      expect(read).toEqual(before === "" ? [] : [[{ user: "ann" }, [tea]]]);
      expect(page.notes).toBe(own);
      const again = renderPage("Memory", [], page.notes);
      expect(parsePage("Memory", again.text)).toMatchObject({ notes: own, sections: [] });
    }
  });

  test("a heading inside of a bullet is none of its text", () => {
    const page = parsePage("Memory", "## user ann\n\n- tea\n  Bob\n  ===\n- x\n");
    expect(page.sections[0]?.entries).toEqual([{ id: undefined, text: "tea" }]);
    expect(page.notes).toBe("  Bob\n  ===\n- x");
  });

  test.each([
    ["a line across the page", "- tea\n\n---\n\n- x\n"],
    ["one right under the heading or a bullet", "---\n- tea\n---\n- x\n"],
    ["code and comments that end", "- tea\n```\n- no\n```\n- x\n<!-- no\n-->\n"],
    ["an id on a line of its own", "- tea\n  <!-- 01ARZ3NDEKTSV4RRFFQ69G5FAV -->\n- x\n"],
    ["a tag", "- tea\n\n#tag\n\n- x\n"],
  ])("but the section goes on behind %s", (_, list) => {
    const { sections } = parsePage("Memory", `## user ann\n${list}`);
    expect(sections.map(({ scope, entries }) => [scope, entries.map(({ text }) => text)])).toEqual([
      [{ user: "ann" }, ["tea", "x"]],
    ]);
  });

  test("and what is behind a fence that never ends is still found under its heading", () => {
    const { sections } = parsePage("Memory", "## user ann\n```\n- no\n\n## user bob\n- x\n");
    expect(sections).toEqual([{ scope: { user: "bob" }, entries: [{ id: undefined, text: "x" }] }]);
  });
});

describe("headings", () => {
  test.each<[string, Scope | undefined]>([
    ["Everyone", {}],
    ["everyone ", {}],
    ['user "ann"', { user: "ann" }],
    ["user ann, agent bot-1", { user: "ann", agent: "bot-1" }],
    ['channel "a\\"b", user "\\u0000"', { channel: 'a"b', user: "\0" }],
    ["user", undefined],
    ['user ""', undefined],
    ["user ann bob", undefined],
    ["user ann, user bob", undefined],
    ['user "ann', undefined],
    ["users ann", undefined],
    ["Notes about user ann", undefined],
    [`user "${"x".repeat(2000)}"`, undefined],
    ["", undefined],
  ])("%s", (heading, scope) => {
    expect(parseHeading(heading)).toEqual(scope);
    if (scope !== undefined) expect(parseHeading(headingOf(scope))).toStrictEqual(scope);
  });
});

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}
