import type { Mutant } from "./mutant.ts";

/** The file with the mistake in it. Throws if the patch no longer fits: a mutant must keep up with the sources. */
export function applyEdits(source: string, { name, file, edits }: Mutant): string {
  return edits.reduce((text, { find, replace }) => {
    const found = text.split(find).length - 1;
    if (found !== 1) {
      throw new Error(
        `The mutant ${name} is stale: in packages/store/src/${file} this is there ${found} times, not once:\n${find}`,
      );
    }
    // As a function, since a text may hold what a replacement takes for a pattern.
    return text.replace(find, () => replace);
  }, source);
}
