/** The files and the environment as one: the workspace's file wins over the home's field by field, the environment over both. */

import type { ConfigFile } from "./config-file.ts";
import { isObject } from "./config-file.ts";
import type { OverridingVariable } from "./environment-overrides.ts";

export interface Override {
  readonly variable: OverridingVariable;
  readonly value: string | number;
}

type Fields = Readonly<Record<string, unknown>>;

/** A list is one field. The workspace's lists of tools only narrow: a tool that the home forbids stays forbidden. */
export function mergeSettings(
  home: ConfigFile,
  workspace: ConfigFile,
  overrides: readonly Override[],
): Fields {
  let merged = mergeFields(home.content, workspace.content);
  const [homeTools, ownTools] = [toolsOf(home), toolsOf(workspace)];
  const allowed = listIn(homeTools, "allow");
  const own = listIn(ownTools, "allow");
  if (allowed !== undefined && own !== undefined) {
    merged = setField(
      merged,
      ["tools", "allow"],
      own.filter((tool) => allowed.includes(tool)),
    );
  }
  const denied = [...(listIn(homeTools, "deny") ?? []), ...(listIn(ownTools, "deny") ?? [])];
  if (denied.length > 0) merged = setField(merged, ["tools", "deny"], [...new Set(denied)]);
  for (const { variable, value } of overrides) merged = setField(merged, variable.field, value);
  return merged;
}

function mergeFields(under: Fields, over: Fields): Fields {
  const merged = new Map(Object.entries(under));
  for (const [name, value] of Object.entries(over)) {
    const below = merged.get(name);
    merged.set(name, isObject(below) && isObject(value) ? mergeFields(below, value) : value);
  }
  return Object.fromEntries(merged);
}

function setField(fields: Fields, path: readonly string[], value: unknown): Fields {
  const [name = "", ...rest] = path;
  const below = fields[name];
  const own = rest.length === 0 ? value : setField(isObject(below) ? below : {}, rest, value);
  return { ...fields, [name]: own };
}

function toolsOf({ content }: ConfigFile): Fields {
  const tools = content["tools"];
  return isObject(tools) ? tools : {};
}

function listIn(fields: Fields, name: string): readonly unknown[] | undefined {
  const list = fields[name];
  return Array.isArray(list) ? list : undefined;
}
