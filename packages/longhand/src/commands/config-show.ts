/** `longhand config show`: every value of the configuration and where it comes from. Of a key only whether there is one. */

import type { Config, KeyPlace } from "../config/config.ts";
import { OVERRIDES } from "../config/environment-overrides.ts";
import { readConfig } from "../config/read-config.ts";
import { escapeLine, onOneLine } from "../terminal/escape-controls.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { type Column, renderTable } from "../terminal/table.ts";
import { addExamples } from "./add-examples.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";

export const defineShow: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand config show", "every value, and where it comes from"],
    ["longhand config show --workspace ./project", "as it would be there"],
    ["longhand config show --json | jq .values", "for a program"],
  ]);
  command.option("--json", "one JSON document").action(async (options: JsonOption) => {
    const surroundings = begin(options);
    const { output, json, places, environment } = surroundings;
    const config = await readConfig(places, environment);
    if (json) output.write(jsonLine(documentOf(config, surroundings)));
    else for (const line of linesOf(config, surroundings)) output.write(`${line}\n`);
  });
};

function documentOf(config: Config, { environment }: Surroundings): unknown {
  const { files, values, keys, agents } = config;
  const variables = OVERRIDES.map(({ name, field }) => ({
    name,
    field: field.join("."),
    isSet: isSet(environment[name]),
  }));
  return { files, values, keys, variables, agents };
}

function linesOf(config: Config, { output, environment }: Surroundings): readonly string[] {
  const { colors, width } = output;
  const rows = [
    ...config.values.map(({ field, value, from }) => [field, valueText(field, value), escapeLine(from)]),
    ...config.keys.map((key) => [`models.${key.provider} key`, ...keyCells(key)]),
  ];
  const columns: readonly Column[] = [
    { heading: "FIELD" },
    { heading: "VALUE", least: 12, most: 60 },
    { heading: "FROM", least: 10 },
  ];
  return [
    ...config.files.map(({ from, path, exists, isUnapproved }) => {
      const whose = from === "home" ? "the home's" : "the workspace's";
      const state = isUnapproved ? "; not approved, so it is not used" : exists ? "" : "; not there";
      return `${escapeLine(path)}  (${whose}${state})`;
    }),
    "",
    ...renderTable({ columns, rows, shrinks: [1, 2] }, width, (cell, row) =>
      row === -1 || config.values[row]?.source === "default" ? colors.dim(cell) : cell,
    ),
    "",
    ...OVERRIDES.map(({ name, field }) => {
      const state = isSet(environment[name]) ? "is set" : "is not set";
      return `${name} ${state}  (for ${field.join(".")})`;
    }),
    ...config.agents.slice(1).map(({ name, workspace }) => `agent ${name}: ${escapeLine(workspace)}`),
  ];
}

function valueText(field: string, value: unknown): string {
  if (value === null) return field === "tools.allow" ? "all" : "none";
  return typeof value === "string" ? onOneLine(value) : JSON.stringify(value);
}

function keyCells({ variable, isSet: isThere, file }: KeyPlace): readonly [string, string] {
  if (isThere) return ["is set", variable];
  return file === undefined ? ["is not set", variable] : ["is looked for in the file", escapeLine(file)];
}

function isSet(text: string | undefined): boolean {
  return text !== undefined && text.trim() !== "";
}
