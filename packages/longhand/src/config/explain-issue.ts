/** What is wrong with a field, in words for the person who wrote it. A value is never repeated: it might be a secret in the wrong place. */

import { suggestName } from "@longhand/agent/settings";
import type { core } from "zod";
import { knownFields } from "./known-fields.ts";
import type { JsonPath } from "./scan-json.ts";

export interface ExplainedIssue {
  readonly path: JsonPath;
  readonly message: string;
}

/** One for each field. */
export function explainIssue(issue: core.$ZodIssue): readonly ExplainedIssue[] {
  const { path } = issue;
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => ({ path: [...path, key], message: explainUnknown(path, key) }));
    case "invalid_type":
      return [{ path, message: `must be ${TYPES[issue.expected] ?? issue.expected}` }];
    case "too_small":
      return [{ path, message: boundary(issue.origin, `at least ${issue.minimum}`, "must not be empty") }];
    case "too_big":
      return [{ path, message: boundary(issue.origin, `at most ${issue.maximum}`, "is too long") }];
    case "invalid_format":
    case "custom":
    case "not_multiple_of":
    case "invalid_union":
    case "invalid_key":
    case "invalid_element":
    case "invalid_value":
      // The words are the schema's own.
      return [{ path, message: issue.message }];
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: "text in quotes",
  int: "a whole number",
  number: "a whole number",
  boolean: "true or false",
  array: "a list in [ ]",
  object: "an object in { }",
};

function boundary(origin: string, ofNumber: string, ofOthers: string): string {
  return origin === "number" || origin === "int" ? `must be ${ofNumber}` : ofOthers;
}

const KEY_ITSELF = /^(?:api_?key|key|token|secret|password)$/i;

function explainUnknown(parent: JsonPath, key: string): string {
  if (KEY_ITSELF.test(key)) {
    return "a key does not belong into this file: put it into the environment variable that api_key_env names, or into a file of mode 0600 that api_key_file names";
  }
  const fields = knownFields().map(({ path }) => path);
  const prefix = parent.reduce<string>(
    (text, part) =>
      typeof part === "number" ? `${text}[]` : text === "" ? String(part) : `${text}.${String(part)}`,
    "",
  );
  const beside = fields.flatMap((path) => childOf(path, prefix));
  const near = suggestName(key, [...new Set(beside)]);
  if (near !== undefined)
    return `there is no such field; did you mean ${prefix === "" ? near : `${prefix}.${near}`}?`;
  // In the wrong place, perhaps.
  const elsewhere = fields.find((path) => path.endsWith(`.${suggestName(key, fields.map(lastPart)) ?? ""}`));
  if (elsewhere !== undefined) return `there is no such field here; did you mean ${elsewhere}?`;
  return `there is no such field; there are: ${[...new Set(beside)].join(", ")}`;
}

/** "model" for "agent.model" under "agent". */
function childOf(path: string, prefix: string): readonly string[] {
  if (prefix !== "" && !path.startsWith(`${prefix}.`)) return [];
  const [child = ""] = (prefix === "" ? path : path.slice(prefix.length + 1)).split(/\.|\[\]/);
  return [child];
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}
