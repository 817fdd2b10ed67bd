/**
 * Plain English to what is wanted, by a handful of patterns. Whatever is not surely one of them is not understood: a wrong guess would
 * write a file or run a command that nobody asked for. Words that are to be kept or run are taken exactly as they were said.
 */

export type Wish =
  | { readonly kind: "help" }
  /** What is known about the user. */
  | { readonly kind: "known" }
  | {
      readonly kind: "call";
      readonly tool: OfflineTool;
      readonly arguments: Readonly<Record<string, string>>;
    }
  | { readonly kind: "unclear"; readonly hint?: string };

export const OFFLINE_TOOLS = [
  "list_dir",
  "read_file",
  "write_file",
  "exec",
  "recall",
  "remember",
  "load_skill",
] as const;
export type OfflineTool = (typeof OFFLINE_TOOLS)[number];

type Reading = (parts: Readonly<Record<string, string | undefined>>) => Wish | undefined;

/** The first that matches the whole request and makes something of it. */
const PATTERNS: readonly (readonly [pattern: RegExp, reading: Reading])[] = [
  [/^(?:help|\/?help|what can (?:you|i) do|hello|hi|hey)$/i, () => ({ kind: "help" })],
  [/^(?:what do you (?:know|remember) about me|who am i)$/i, () => ({ kind: "known" })],
  [
    /^(?:ls|list|(?:list|show|give)(?: me)?(?: all)?(?: of)?(?: the| my)? files|(?:what|which) files are(?: there| here)?)(?: (?:here|there))?(?: (?:in|of|under)(?: the)?(?: folder| directory)? (?<path>.+?)(?: folder| directory)?)?$/i,
    ({ path }) => (path === undefined ? call("list_dir", { path: "." }) : listing(path)),
  ],
  [/^(?:ls|list) (?<path>.+)$/i, ({ path }) => listing(path)],
  [/^(?:list|show)(?: me)?(?: the| my| your)? skills$/i, () => call("load_skill", {})],
  [
    /^(?:load|use|open|read|show)(?: me)?(?: the)? skill (?<name>[a-z0-9-]+)$/i,
    ({ name = "" }) => call("load_skill", { name: name.toLowerCase() }),
  ],
  [
    /^(?:read|cat|open|print|show|display)(?: me)?(?: the| my)?(?: contents? of(?: the)?)?(?: file)? (?<path>.+)$/i,
    ({ path }) => reading(path),
  ],
  [
    /^(?:write|create|save|make)(?: the| a)?(?: new)?(?: file)?(?: called| named)? (?<path>"[^"]+"|'[^']+'|`[^`]+`|\S+) (?:with|containing|saying)(?:(?: the)? (?:text|words?|contents?|lines?)(?=:|\s["'`“]))?:?\s(?<content>[^]+)$/i,
    ({ path, content }) => writing(path, content),
  ],
  [
    /^(?:write|create|save|put)(?: to| into)?(?: the)?(?: file)? (?<path>"[^"]+"|'[^']+'|`[^`]+`|\S+):\s(?<content>[^]+)$/i,
    ({ path, content }) => writing(path, content),
  ],
  [
    /^(?:write|save|put) (?<content>[^]+) (?:to|into|in)(?: (?:the|a))?(?: file)?(?: called| named)? (?<path>"[^"]+"|'[^']+'|`[^`]+`|\S+)$/i,
    ({ path, content }) => writing(path, content),
  ],
  [
    /^(?:run|execute|exec)(?: the command)?:?\s(?<command>[^]+)$/i,
    ({ command = "" }) => call("exec", { command: withoutQuotes(command) }),
  ],
  [
    /^(?:what (?:did|have) (?:i|we) (?:say|said|tell you|told you|decided?|discuss(?:ed)?)(?: about)?|what do you (?:know|remember) about|do you remember|recall|search for) (?<words>[^]+)$/i,
    ({ words = "" }) => recalling(words),
  ],
  [
    /^(?:remember|note)(?: that|:)? (?<text>[^]+)$/i,
    ({ text = "" }) => call("remember", { text: withoutQuotes(text) }),
  ],
];

const POLITE = /^(?:(?:please|ok|okay|now|can you|could you|would you|will you),? ){1,3}/i;
/** What follows these is not ours to trim. */
const KEPT = /^(?:write|create|save|make|put|run|execute|exec|remember|note)\b/i;

export function understandRequest(said: string): Wish {
  let text = said.trim().replace(POLITE, "");
  if (text === "") return { kind: "help" };
  if (!KEPT.test(text)) text = withoutEnd(text);
  for (const [pattern, reading] of PATTERNS) {
    const match = pattern.exec(text);
    const wish = match === null ? undefined : reading(match.groups ?? {});
    if (wish !== undefined) return wish;
  }
  return { kind: "unclear" };
}

/** Without the end of a sentence. */
function withoutEnd(text: string): string {
  const words = withoutMarks(text);
  const wanted = words.toLowerCase().endsWith(" please")
    ? withoutMarks(words.slice(0, -" please".length))
    : words;
  // Not the directories . and ..
  return /[\p{L}\p{N}]\.$/u.test(wanted.slice(-3)) ? wanted.slice(0, -1) : wanted;
}

function withoutMarks(text: string): string {
  let end = text.length;
  while (end > 0 && "?!, ".includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

function call(tool: OfflineTool, given: Readonly<Record<string, string>>): Wish {
  return { kind: "call", tool, arguments: given };
}

function listing(said: string | undefined): Wish | undefined {
  const path = pathOf(said);
  return path === undefined ? undefined : call("list_dir", { path });
}

function reading(said: string | undefined): Wish | undefined {
  const path = pathOf(said);
  return path === undefined ? undefined : call("read_file", { path });
}

/** "write a letter to mum" is no file: its name is in quotes, or has a dot or a slash in it. */
function writing(said: string | undefined, content: string | undefined): Wish | undefined {
  const path = pathOf(said);
  if (path === undefined || said === undefined || content === undefined) return undefined;
  if (path !== said || /[./]/.test(path))
    return call("write_file", { path, content: withoutQuotes(content) });
  return {
    kind: "unclear",
    hint: `If ${path} is the name of a file, put it in quotes: write … to "${path}"`,
  };
}

/** A name in quotes, with whatever is in it, or one word; `undefined`: it is neither. */
function pathOf(said: string | undefined): string | undefined {
  if (said === undefined) return undefined;
  const inner = withoutQuotes(said);
  if (inner !== said) return inner === "" ? undefined : inner;
  if (/\s/.test(said)) return undefined;
  // The end of a sentence, but not the directories . and ..
  return /^\.+$/.test(said) ? said : said.replace(/[.,]$/, "");
}

const SMALL_WORDS = /^(?:a|an|the|my|our|your|that|this|about|of|for|to|in|on)$/i;

/** Every word of a query must be found, so those that say nothing are left out. */
function recalling(said: string): Wish | undefined {
  const words = withoutQuotes(said)
    .split(/\s+/)
    .filter((word) => word !== "" && !SMALL_WORDS.test(word));
  const query = words.join(" ").replace(/[.,]$/, "");
  return query === "" ? undefined : call("recall", { query });
}

const QUOTES = ['""', "''", "``", "“”"];

/** Only such as stand around the whole; otherwise the text as it is. */
function withoutQuotes(text: string): string {
  const trimmed = text.trim();
  if (trimmed.startsWith("```") && trimmed.endsWith("\n```")) {
    return trimmed.slice(trimmed.indexOf("\n") + 1, -"```".length);
  }
  for (const quotes of QUOTES) {
    const inner = trimmed.slice(1, -1);
    const isAround =
      trimmed.length > 1 && trimmed.startsWith(quotes.charAt(0)) && trimmed.endsWith(quotes.charAt(1));
    if (isAround && !inner.includes(quotes.charAt(0)) && !inner.includes(quotes.charAt(1))) return inner;
  }
  return text;
}
