/** `longhand workspace list`: the workspaces that the home has a record of. */

import { findWorkspaces } from "../config/find-workspaces.ts";
import { onOneLine } from "../terminal/escape-controls.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { type Column, renderTable } from "../terminal/table.ts";
import { addExamples } from "./add-examples.ts";
import type { DefineCommand, JsonOption } from "./surroundings.ts";

const COLUMNS: readonly Column[] = [
  { heading: "WORKSPACE" },
  { heading: "APPROVED" },
  { heading: "KEPT IN" },
];

export const defineList: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand workspace list", "the workspaces, and where their sessions are"],
    ["longhand workspace list --json | jq -r .path", "for a program"],
  ]);
  command.option("--json", "one JSON document a line").action(async (options: JsonOption) => {
    const { output, json, places } = begin(options);
    const workspaces = await findWorkspaces(places.home.path);
    if (json) {
      for (const workspace of workspaces) output.write(jsonLine(workspace));
      return;
    }
    if (workspaces.length === 0) {
      output.write("No directory is a workspace yet; longhand asks when it is started in one.\n");
      return;
    }
    const rows = workspaces.map(({ path, approved, state, exists }) => [
      `${onOneLine(path)}${exists ? "" : " (gone)"}`,
      approved === null ? "no" : approved.slice(0, 10),
      onOneLine(state),
    ]);
    const lines = renderTable({ columns: COLUMNS, rows, shrinks: [] }, output.width, (cell, row) =>
      row === -1 ? output.colors.dim(cell) : cell,
    );
    for (const line of lines) output.write(`${line}\n`);
  });
};
