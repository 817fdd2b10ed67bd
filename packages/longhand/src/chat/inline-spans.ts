/** The Markdown inside of a line: emphasis, code, links. What is not closed is left as it was written. Pure. */

export interface SpanStyle {
  readonly bold?: true;
  readonly italic?: true;
  readonly struck?: true;
  readonly code?: true;
  readonly link?: true;
  readonly dim?: true;
}

export interface Span {
  readonly text: string;
  readonly style: SpanStyle;
}

/** A longer line is data rather than prose, and is not looked into. */
const LONGEST_LINE = 20_000;
const DEEPEST = 6;
const LINK = /!?\[([^\]]{0,500})\]\(\s*<?([^()\s<>]{0,2000})>?(?:\s+"[^"]{0,500}")?\s*\)/y;
const AUTOLINK = /<((?:https?:\/\/|mailto:)[^\s<>]{1,2000})>/y;
const EMPHASIS = [
  ["**", { bold: true }],
  ["__", { bold: true }],
  ["~~", { struck: true }],
  ["*", { italic: true }],
  ["_", { italic: true }],
] as const;

export function inlineSpans(text: string, style: SpanStyle = {}, depth = 0): Span[] {
  if (text.length > LONGEST_LINE || depth > DEEPEST) return [{ text, style }];
  const spans: Span[] = [];
  // Where one was looked for in vain there is none further on either.
  const unclosed = new Set<string>();
  let plain = "";
  const add = (found: readonly Span[]): void => {
    if (plain !== "") spans.push({ text: plain, style });
    plain = "";
    spans.push(...found);
  };
  for (let place = 0; place < text.length;) {
    const found =
      codeAt(text, place, style, unclosed) ??
      linkAt(text, place, style, depth) ??
      emphasisAt(text, place, style, depth, unclosed);
    if (found !== undefined) {
      add(found.spans);
      place = found.end;
    } else if (/^\\[!-/:-@[-`{-~]/.test(text.slice(place, place + 2))) {
      plain += text.charAt(place + 1);
      place += 2;
    } else {
      // A run of one sign is one thing: three stars that close nothing are not looked at one by one.
      const [run = ""] = /^([`*_~])\1*|^[^\\`*_~![<]+|^./su.exec(text.slice(place, place + 4096)) ?? [];
      plain += run;
      place += Math.max(1, run.length);
    }
  }
  add([]);
  return spans;
}

interface FoundSpans {
  readonly spans: readonly Span[];
  readonly end: number;
}

function codeAt(
  text: string,
  place: number,
  style: SpanStyle,
  unclosed: Set<string>,
): FoundSpans | undefined {
  if (text.charAt(place) !== "`") return undefined;
  const [fence = "`"] = /^`+/.exec(text.slice(place)) ?? [];
  if (unclosed.has(fence)) return undefined;
  const begin = place + fence.length;
  for (let close = text.indexOf(fence, begin); close !== -1;) {
    const [run = fence] = /^`+/.exec(text.slice(close)) ?? [];
    if (run === fence) {
      const code = text.slice(begin, close).replace(/^ (.*[^ ].*) $/u, "$1");
      return { spans: [{ text: code, style: { ...style, code: true } }], end: close + fence.length };
    }
    close = text.indexOf(fence, close + run.length);
  }
  unclosed.add(fence);
  return undefined;
}

/** The address is shown too: what a link says and where it goes may be two things. */
function linkAt(text: string, place: number, style: SpanStyle, depth: number): FoundSpans | undefined {
  const auto = matchAt(AUTOLINK, text, place);
  if (auto !== null) {
    return { spans: [{ text: auto[1] ?? "", style: { ...style, link: true } }], end: place + auto[0].length };
  }
  const match = matchAt(LINK, text, place);
  if (match === null) return undefined;
  const [whole, words = "", address = ""] = match;
  const isImage = whole.startsWith("!");
  const shown = isImage ? `[image: ${words}]` : words === "" ? address : words;
  const spans = inlineSpans(shown, { ...style, link: true }, depth + 1);
  const isTold = address === "" || shown === address;
  return {
    spans: isTold ? spans : [...spans, { text: ` (${address})`, style: { ...style, dim: true } }],
    end: place + whole.length,
  };
}

function matchAt(pattern: RegExp, text: string, place: number): RegExpExecArray | null {
  pattern.lastIndex = place;
  return pattern.exec(text);
}

function emphasisAt(
  text: string,
  place: number,
  style: SpanStyle,
  depth: number,
  unclosed: Set<string>,
): FoundSpans | undefined {
  for (const [sign, added] of EMPHASIS) {
    if (!text.startsWith(sign, place) || unclosed.has(sign) || !opens(text, place, sign)) continue;
    const begin = place + sign.length;
    const close = closing(text, begin, sign);
    if (close === undefined) {
      unclosed.add(sign);
      continue;
    }
    return {
      spans: inlineSpans(text.slice(begin, close), { ...style, ...added }, depth + 1),
      end: close + sign.length,
    };
  }
  return undefined;
}

/** Before a word, and an underscore not inside of one: `snake_case_name` is a name. */
function opens(text: string, place: number, sign: string): boolean {
  const after = text.charAt(place + sign.length);
  if (after === "" || /\s/u.test(after) || after === sign.charAt(0)) return after === "*" && sign === "**";
  return !sign.startsWith("_") || !/[\p{L}\p{N}]/u.test(text.charAt(place - 1));
}

function closing(text: string, begin: number, sign: string): number | undefined {
  for (let close = text.indexOf(sign, begin + 1); close !== -1; close = text.indexOf(sign, close + 1)) {
    const before = text.charAt(close - 1);
    const after = text.charAt(close + sign.length);
    if (/\s/u.test(before) || before === "\\") continue;
    if (sign.length === 1 && (before === sign || after === sign)) continue;
    // `**a *b***`: the last two close what was opened first.
    if (sign.length === 2 && after === sign.charAt(0) && text.charAt(close + 3) !== after) return close + 1;
    if (sign.startsWith("_") && /[\p{L}\p{N}]/u.test(after)) continue;
    return close;
  }
  return undefined;
}
