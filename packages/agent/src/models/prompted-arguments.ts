/**
 * The field of a prompted tool call that holds its arguments. We ask for `arguments`; the templates of Llama 3 write `parameters`, and some
 * fine-tunes `args` (Ollama meets and accepts the same names). A call whose fields contradict each other is not run: the model is told.
 */

import { tryParseJson } from "../parse-json.ts";

const ASKED_FOR = "arguments";
const NAMES: readonly string[] = [ASKED_FOR, "parameters", "args"];
const TAG = "<tool_call>";
/** Before the name of a call until it has left the parser, which takes no arguments that a tool does not have. */
const CONTRADICTION = "longhand:contradiction ";

interface Field {
  readonly name: string;
  /** Of the name, quotes included. */
  readonly from: number;
  readonly to: number;
  readonly value: string;
}

/** What a model wrote, with the arguments of each call under the name that was asked for. Anything else stays as it is. */
export function withArgumentsRenamed(text: string): string {
  let renamed = "";
  let rest = text;
  for (let tag = rest.indexOf(TAG); tag >= 0; tag = rest.indexOf(TAG)) {
    const start = tag + TAG.length;
    const space = /^\s*/.exec(rest.slice(start))?.[0].length ?? 0;
    const call = rest.slice(start + space);
    const scanned = call.startsWith("{") ? fieldsOf(call) : undefined;
    renamed += rest.slice(0, start + space);
    rest = call;
    if (scanned === undefined) continue;
    renamed += renameIn(call.slice(0, scanned.end), scanned.fields);
    rest = call.slice(scanned.end);
  }
  return renamed + rest;
}

/** The name of a call that left the parser; with why it must not be run, for the model, if its fields contradict each other. */
export function contradictionIn(name: string): { readonly name: string; readonly refusal?: string } {
  if (!name.startsWith(CONTRADICTION)) return { name };
  const [fields = "", ...tool] = name.slice(CONTRADICTION.length).split(" ");
  const written = fields.split(",").map((field) => `"${field}"`);
  const refusal = `the call has ${written.join(" and ")}, and they differ; write it again with "${ASKED_FOR}" alone`;
  return { name: tool.join(" "), refusal };
}

function renameIn(call: string, fields: readonly Field[]): string {
  const found = fields.filter(({ name }) => NAMES.includes(name));
  const [first] = found;
  if (first === undefined || !fields.some(({ name }) => name === "name")) return call;
  if (found.some(({ value }) => !isSame(value, first.value))) {
    const tool = tryParseJson(fields.find(({ name }) => name === "name")?.value ?? "");
    const marked = `${CONTRADICTION}${found.map(({ name }) => name).join(",")} ${String(tool)}`;
    return JSON.stringify({ name: marked, [ASKED_FOR]: {} });
  }
  if (found.some(({ name }) => name === ASKED_FOR)) return call;
  return `${call.slice(0, first.from)}"${ASKED_FOR}"${call.slice(first.to)}`;
}

function isSame(one: string, other: string): boolean {
  return one === other || canonical(one) === canonical(other);
}

/** Without regard to white space and to the order of fields. What is no JSON is itself. */
function canonical(text: string): string {
  const value = tryParseJson(text);
  if (value === undefined) return text;
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** The fields of the object that the text begins with; the JSON may be as careless as the parser forgives. `undefined`: it does not end. */
function fieldsOf(text: string): { readonly fields: readonly Field[]; readonly end: number } | undefined {
  const fields: Field[] = [];
  let depth = 0;
  let name: { readonly from: number; readonly to: number } | undefined;
  let value: number | undefined;
  const endField = (at: number): void => {
    if (name !== undefined && value !== undefined)
      fields.push({
        ...name,
        name: text.slice(name.from + 1, name.to - 1),
        value: text.slice(value, at).trim(),
      });
    name = value = undefined;
  };
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === '"') {
      const to = endOfString(text, at);
      if (to === undefined) return undefined;
      if (depth === 1 && value === undefined) name = { from: at, to };
      at = to - 1;
    } else if (sign === "{" || sign === "[") depth++;
    else if (sign === "}" || sign === "]") {
      if (depth === 1) endField(at);
      depth--;
      if (depth === 0) return { fields, end: at + 1 };
    } else if (depth === 1 && sign === ":") value ??= at + 1;
    else if (depth === 1 && sign === ",") endField(at);
  }
  return undefined;
}

/** Behind its closing quote. */
function endOfString(text: string, from: number): number | undefined {
  for (let at = from + 1; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === "\\") at++;
    else if (sign === '"') return at + 1;
  }
  return undefined;
}
