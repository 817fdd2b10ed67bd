/** As much of Markdown as the documents use: links, headings, fenced code, tables. */

export interface CodeBlock {
  readonly language: string;
  readonly text: string;
}

const FENCE = /^```(\w*)\n([\s\S]*?)^```$/gm;

export function readCodeBlocks(markdown: string): CodeBlock[] {
  return [...markdown.matchAll(FENCE)].map(([, language = "", text = ""]) => ({ language, text }));
}

/** Targets of `[text](target)` and `[name]: target`, wherever they point. */
export function readLinks(markdown: string): string[] {
  const prose = withoutCode(markdown);
  const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)];
  const definitions = [...prose.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm)];
  return [...inline, ...definitions].map(([, target = ""]) => target);
}

/** What `#…` can point to: the headings, as the usual viewers make anchors of them. */
export function readAnchors(markdown: string): string[] {
  const seen = new Map<string, number>();
  return readHeadings(markdown).map((heading) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-");
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
}

/** Without their marks, in order, of every level. */
export function readHeadings(markdown: string): string[] {
  return [...withoutCodeBlocks(markdown).matchAll(/^#{1,6} +(.+?) *#*$/gm)].map(([, heading = ""]) =>
    heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[`*]/g, ""),
  );
}

/** The cells of every row of every table, headings and rules left out. */
export function readTableRows(markdown: string): string[][] {
  const lines = withoutCodeBlocks(markdown).split("\n");
  const isRule = (line: string | undefined): boolean => line !== undefined && /^\|[\s:|-]+\|$/.test(line);
  return lines
    .filter((line, index) => line.startsWith("|") && !isRule(line) && !isRule(lines[index + 1]))
    .map((line) => line.slice(1, line.lastIndexOf("|")).split("|"))
    .map((cells) => cells.map((cell) => cell.trim()));
}

export function withoutCodeBlocks(markdown: string): string {
  return markdown.replace(FENCE, "");
}

function withoutCode(markdown: string): string {
  return withoutCodeBlocks(markdown).replace(/`[^`\n]+`/g, "");
}
