/**
 * Text as data between fences, under a label. The fence is longer than any in the text, so that nothing in it can end it, and
 * no word has to be changed.
 */
export function fenced(text: string, label = ""): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/gu)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}${label}\n${text}\n${fence}`;
}
