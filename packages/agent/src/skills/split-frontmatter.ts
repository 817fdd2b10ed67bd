/**
 * Cuts SKILL.md into its frontmatter and its body. The fences are `---` alone on their line: one that names a language (`---js`) is
 * refused, since parsers are known that run it.
 */

export interface SplitSkill {
  readonly frontmatter: string;
  readonly body: string;
}

/** In bytes: more than a name and a description can ever need, and little enough to parse. */
export const MAX_FRONTMATTER_BYTES: number = 64 * 1024;

const FENCE = /^---[ \t]*$/;

/** Throws an Error whose message is the reason, in words for whoever wrote the file. */
export function splitFrontmatter(text: string): SplitSkill {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\n/);
  const [first = ""] = lines;
  if (!FENCE.test(first)) {
    throw new Error(
      first.startsWith("---")
        ? "the first line must be --- alone"
        : "it has no frontmatter: the first line must be ---, then name and description, then --- again",
    );
  }
  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
  if (end === -1) throw new Error("its frontmatter has no end: a line with --- alone");
  const frontmatter = lines.slice(1, end).join("\n");
  if (Buffer.byteLength(frontmatter) > MAX_FRONTMATTER_BYTES) {
    throw new Error(`its frontmatter is longer than ${MAX_FRONTMATTER_BYTES / 1024} KB`);
  }
  return {
    frontmatter,
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim(),
  };
}
