/**
 * The frontmatter of a skill as text fields. YAML by its failsafe schema: everything is text, so that `version: 1.0` stays "1.0", and
 * nothing can be made but texts and maps. Anchors, aliases and tags are refused before anything is resolved: a skill needs none, and a
 * few lines with them can stand for gigabytes.
 */

import { isAlias, isMap, isScalar, type Document, parseDocument, visit, type YAMLMap } from "yaml";

export type FrontmatterValue = string | ReadonlyMap<string, string>;

/** Throws an Error whose message is the reason. */
export function parseFrontmatter(text: string): ReadonlyMap<string, FrontmatterValue> {
  const strict = parseStrictly(text);
  const document = strict.errors.length === 0 ? strict : parseStrictly(quoteProse(text));
  const [error] = document.errors;
  if (error !== undefined) {
    const [reason = ""] = (strict.errors[0] ?? error).message.split("\n");
    throw new Error(`its frontmatter is not YAML: ${reason.replace(/:$/, "")}`);
  }
  refuseReferences(document);
  if (!isMap(document.contents))
    throw new Error("its frontmatter has no fields: name and description are needed");
  const fields = new Map<string, FrontmatterValue>();
  for (const [name, value] of pairsOf(document.contents)) {
    fields.set(name, isMap(value) ? textsOf(value, name) : textOf(value, name));
  }
  return fields;
}

function parseStrictly(text: string): Document.Parsed {
  return parseDocument(text, { schema: "failsafe", version: "1.2", logLevel: "silent" });
}

function refuseReferences(document: Document.Parsed): void {
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node) || node.anchor !== undefined) {
        throw new Error(
          "its frontmatter has a YAML anchor or alias (& or *); write the text out, or put it in quotes",
        );
      }
      if (node.tag !== undefined) {
        throw new Error(
          "its frontmatter has a YAML tag (!); only plain text is taken, so put the value in quotes",
        );
      }
    },
  });
}

function pairsOf(map: YAMLMap): [name: string, value: unknown][] {
  return map.items.map(({ key, value }) => {
    if (!isScalar(key) || typeof key.value !== "string")
      throw new Error("its frontmatter has a field whose name is no text");
    return [key.value, value];
  });
}

function textsOf(map: YAMLMap, field: string): ReadonlyMap<string, string> {
  return new Map(pairsOf(map).map(([name, value]) => [name, textOf(value, `${field}.${name}`)]));
}

function textOf(value: unknown, field: string): string {
  const text = isScalar(value) ? value.value : value;
  if (text === null || text === undefined) return "";
  if (typeof text !== "string") throw new Error(`${field} must be text`);
  return text;
}

const PROSE_FIELD = /^(name|description|license|compatibility|allowed-tools):[ \t]+([^\s"'|>&*![{].*)$/;

/**
 * `description: Use when: user says PDF` is no YAML, and common: the value of such a field is taken as it stands, with the lines that
 * go on with it.
 */
function quoteProse(text: string): string {
  const lines: string[] = [];
  let prose: { readonly field: string; words: string } | undefined;
  const endProse = (): void => {
    if (prose !== undefined) lines.push(`${prose.field}: ${JSON.stringify(prose.words)}`);
    prose = undefined;
  };
  for (const line of text.split("\n")) {
    if (prose !== undefined && /^[ \t]+\S/.test(line)) {
      prose.words += ` ${line.trim()}`;
      continue;
    }
    endProse();
    const [, field, words] = PROSE_FIELD.exec(line) ?? [];
    if (field === undefined || words === undefined) lines.push(line);
    else prose = { field, words: words.trim() };
  }
  endProse();
  return lines.join("\n");
}
