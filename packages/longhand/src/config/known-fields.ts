/** The fields of longhand.json as a list, taken from its schema: for suggestions, `config show` and the documents. */

import { settingsJsonSchema } from "./settings-schema.ts";

export interface KnownField {
  /** Such as "agent.model", or "agents[].name" for those of each item of a list. */
  readonly path: string;
  readonly description: string;
  readonly type: string;
  /** `undefined`: there is none. */
  readonly default: unknown;
}

interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

/** Those that have a value of their own, in the order of the schema; a list of objects is followed by the fields of its items. */
export function knownFields(): readonly KnownField[] {
  return fieldsIn(settingsJsonSchema(), "");
}

function fieldsIn(node: SchemaNode, path: string): KnownField[] {
  if (node.properties !== undefined) {
    return Object.entries(node.properties).flatMap(([name, child]) =>
      fieldsIn(child, path === "" ? name : `${path}.${name}`),
    );
  }
  const { description = "", type = "", default: standard } = node;
  const items = node.items?.properties === undefined ? [] : fieldsIn(node.items, `${path}[]`);
  return [{ path, description, type, default: standard }, ...items];
}
