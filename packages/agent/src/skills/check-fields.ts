/** The rules of the Agent Skills specification for the fields of a skill. */

import type { FrontmatterValue } from "./parse-frontmatter.ts";
import type { Skill } from "./types.ts";

const FIELDS = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1024;
const MAX_COMPATIBILITY = 500;
/** Not in the specification; a licence's text belongs into a file. */
const MAX_OTHER = 1024;
const NAME = /^[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*$/u;

export type SkillFields = Omit<Skill, "from" | "directory" | "hash">;

/** `directoryName`: what the name must be. Throws an Error whose message is the reason. */
export function checkFields(
  fields: ReadonlyMap<string, FrontmatterValue>,
  directoryName: string,
): SkillFields {
  const unknown = [...fields.keys()].filter((field) => !FIELDS.includes(field));
  if (unknown.length > 0) {
    const named = unknown.slice(0, 5).map((field) => JSON.stringify(field.slice(0, 40)));
    throw new Error(
      `its frontmatter has ${named.join(", ")}, which no skill has: there are ${FIELDS.join(", ")}; more belongs under metadata`,
    );
  }
  const license = textField(fields, "license", MAX_OTHER);
  const compatibility = textField(fields, "compatibility", MAX_COMPATIBILITY);
  const allowedTools = textField(fields, "allowed-tools", MAX_OTHER);
  return {
    name: checkName(textField(fields, "name", Infinity), directoryName),
    description: checkDescription(textField(fields, "description", MAX_DESCRIPTION)),
    metadata: metadataOf(fields.get("metadata")),
    ...(license === undefined ? {} : { license }),
    ...(compatibility === undefined ? {} : { compatibility }),
    // A pattern in brackets may have spaces: Bash(git add:*)
    ...(allowedTools === undefined
      ? {}
      : { allowedTools: allowedTools.match(/(?:\([^)]*\)|[^\s(])+/g) ?? [] }),
  };
}

function checkName(given: string | undefined, directoryName: string): string {
  const name = given?.normalize("NFKC") ?? "";
  if (name === "") throw new Error("it has no name");
  if (Array.from(name).length > MAX_NAME) throw new Error(`its name is longer than ${MAX_NAME} characters`);
  if (!NAME.test(name) || name !== name.toLowerCase()) {
    throw new Error(
      `its name ${JSON.stringify(name)} is none: lowercase letters, digits and single hyphens between them`,
    );
  }
  if (name !== directoryName.normalize("NFKC")) {
    throw new Error(`its name is ${JSON.stringify(name)}, and its directory another: they must be the same`);
  }
  return name;
}

function checkDescription(description: string | undefined): string {
  if (description === undefined) throw new Error("it has no description");
  return description;
}

/** `undefined`: absent. A field that is there says something. */
function textField(
  fields: ReadonlyMap<string, FrontmatterValue>,
  field: string,
  longest: number,
): string | undefined {
  const value = fields.get(field);
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw new Error(`${field} must be text`);
  const text = value.trim();
  if (text === "") throw new Error(`its ${field} is empty`);
  const length = Array.from(text).length;
  if (length > longest) throw new Error(`its ${field} has ${length} characters, more than ${longest}`);
  return text;
}

function metadataOf(value: FrontmatterValue | undefined): Readonly<Record<string, string>> {
  if (value === undefined || value === "") return {};
  if (typeof value === "string") throw new Error("metadata must be names with texts, each on its own line");
  // Object.fromEntries makes a field of "__proto__" too, and no prototype.
  return Object.fromEntries(value);
}
