/**
 * Characters that a person who reads a skill does not see and a model does: with them a file says one thing to the one and another to
 * the other. Joiners (emoji, Persian) and the marks of right-to-left prose are part of honest text and pass.
 */

const HIDDEN =
  // Controls but tab and line ends; zero-width and invisible operators; bidi overrides and isolates; tags; more variation selectors.
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u200b\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}\u{e0100}-\u{e01ef}]/u;

/** Where the first one is, in words; `undefined`: there is none. A byte order mark at the beginning is none. */
export function findHiddenText(text: string): string | undefined {
  const shown = text.replace(/^\ufeff/, "");
  const found = HIDDEN.exec(shown);
  if (found === null) return undefined;
  const line = shown.slice(0, found.index).split("\n").length;
  const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `line ${line} has a hidden character (U+${code}): what a person reads there is not all that a model would`;
}
