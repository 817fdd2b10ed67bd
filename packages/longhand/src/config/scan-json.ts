/**
 * Reads JSON and remembers where each field stands, so that a person can be told the line. Stricter than JSON.parse in one thing: a
 * field that is there twice is a fault, since one of the two would be ignored in silence.
 */

export interface ScannedJson {
  readonly value: unknown;
  /** The offset of the field or item with this path; the path as `pathKey` writes it. */
  readonly offsets: ReadonlyMap<string, number>;
}

export class JsonFault extends Error {
  override readonly name = "JsonFault";
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

export type JsonPath = readonly PropertyKey[];

export function pathKey(path: JsonPath): string {
  return JSON.stringify(path.map(String));
}

/** Both from 1. */
export function lineAndColumn(
  text: string,
  offset: number,
): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

const DEEPEST = 50;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORDS: readonly (readonly [word: string, value: unknown])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
];

/** Throws a JsonFault. */
export function scanJson(text: string): ScannedJson {
  const offsets = new Map<string, number>();
  let at = 0;

  const fault = (expected: string): JsonFault => {
    const found = text.slice(at, at + 1);
    if (found === "") return new JsonFault(`the file ends where ${expected} is expected`, at);
    if (found === "/" || found === "#") return new JsonFault("comments are not part of JSON", at);
    return new JsonFault(`${expected} is expected, not ${JSON.stringify(found)}`, at);
  };
  const skipSpace = (): void => {
    while (at < text.length && " \t\r\n".includes(text.charAt(at))) at += 1;
  };
  const take = (character: string): boolean => {
    skipSpace();
    if (text.charAt(at) !== character) return false;
    at += 1;
    return true;
  };
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined) at += found.length;
    return found;
  };

  const readValue = (path: JsonPath): unknown => {
    skipSpace();
    if (path.length > DEEPEST) throw new JsonFault("too many brackets within each other", at);
    if (take("{")) return readObject(path);
    if (take("[")) return readList(path);
    const literal = match(STRING) ?? match(NUMBER);
    if (literal !== undefined) return JSON.parse(literal);
    for (const [word, value] of WORDS) {
      if (!text.startsWith(word, at)) continue;
      at += word.length;
      return value;
    }
    throw fault("a value");
  };
  const readObject = (path: JsonPath): unknown => {
    const entries = new Map<string, unknown>();
    if (take("}")) return {};
    do {
      skipSpace();
      const begin = at;
      const quoted = match(STRING);
      if (quoted === undefined)
        throw fault(entries.size === 0 ? "a field in quotes or }" : "a field in quotes");
      const name = String(JSON.parse(quoted));
      if (entries.has(name)) throw new JsonFault(`the field ${quoted} is there twice`, begin);
      if (!take(":")) throw fault("a colon");
      offsets.set(pathKey([...path, name]), begin);
      entries.set(name, readValue([...path, name]));
    } while (take(","));
    if (!take("}")) throw fault("a comma or }");
    return Object.fromEntries(entries);
  };
  const readList = (path: JsonPath): unknown => {
    const items: unknown[] = [];
    if (take("]")) return items;
    do {
      skipSpace();
      offsets.set(pathKey([...path, items.length]), at);
      items.push(readValue([...path, items.length]));
    } while (take(","));
    if (!take("]")) throw fault("a comma or ]");
    return items;
  };

  const value = readValue([]);
  skipSpace();
  if (at < text.length) throw fault("the end of the file");
  return { value, offsets };
}
