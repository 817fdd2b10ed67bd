/** Every field with its value and where it came from: for `longhand config show`. */

import type { ConfigValue } from "./config.ts";
import { type ConfigFile, fieldText, isObject } from "./config-file.ts";
import { knownFields } from "./known-fields.ts";
import type { Override } from "./merge-settings.ts";
import type { JsonPath } from "./scan-json.ts";
import type { Settings } from "./settings.ts";

export interface ConfigSources {
  readonly home: ConfigFile;
  readonly workspace: ConfigFile;
  readonly overrides: readonly Override[];
}

export function configValues(
  settings: Settings,
  answerTokens: number,
  sources: ConfigSources,
): readonly ConfigValue[] {
  return knownFields()
    .filter(({ path }) => path !== "$schema" && !path.includes("[]"))
    .flatMap(({ path }) => {
      const parts = path.split(".");
      const value = path === "agent.max_answer_tokens" ? answerTokens : valueAt(settings, parts);
      return leavesOf(value, parts).map(([leaf, own]) => ({
        field: fieldText(leaf),
        value: own ?? null,
        ...sourceOf(leaf, sources),
      }));
    });
}

/** A list of objects is shown field by field; anything else is one value. */
function leavesOf(value: unknown, path: JsonPath): readonly (readonly [JsonPath, unknown])[] {
  if (!Array.isArray(value) || !value.some(isObject)) return [[path, value]];
  return value.flatMap((item: unknown, index) =>
    Object.entries(isObject(item) ? item : {}).map(([name, own]) => [[...path, index, name], own] as const),
  );
}

function sourceOf(
  path: JsonPath,
  { home, workspace, overrides }: ConfigSources,
): Pick<ConfigValue, "source" | "from"> {
  const override = overrides.find(({ variable }) => variable.field.join(".") === path.join("."));
  if (override !== undefined) return { source: "environment", from: override.variable.name };
  const files = [workspace, home].flatMap((file) => {
    const line = file.lineOf(path);
    return line === undefined ? [] : [{ source: file.from, place: `${file.path}:${line}` }];
  });
  const [first] = files;
  if (first === undefined) return { source: "default", from: "default" };
  // The lists of tools are made of both.
  const from =
    path[0] === "tools" && path.length === 2 ? files.map(({ place }) => place).join(", ") : first.place;
  return { source: first.source, from };
}

function valueAt(fields: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), fields);
}
