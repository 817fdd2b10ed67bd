/** Which tools an agent has: what there is, less what a person does not want. */

import { AgentError } from "../errors.ts";
import { suggestName } from "../suggest-name.ts";
import type { Tool } from "./tool.ts";

export interface ToolChoice {
  /** Only these. @default all */
  readonly allow?: readonly string[];
  /** Not these, even if they are allowed. */
  readonly deny?: readonly string[];
}

/** In the order given. OPTION_INVALID: two tools share a name, or a list has a name that no tool has. */
export function chooseTools(tools: readonly Tool[], choice: ToolChoice = {}): readonly Tool[] {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name))
      throw new AgentError("OPTION_INVALID", `two tools are named ${name}; rename one of them`, { name });
    names.add(name);
  }
  const allow = checkNames("allow", choice.allow ?? [...names], names);
  const deny = checkNames("deny", choice.deny ?? [], names);
  return tools.filter(({ name }) => allow.has(name) && !deny.has(name));
}

/** A misspelt name in a deny list would otherwise leave the tool there, and nobody would notice. */
function checkNames(
  list: string,
  wanted: readonly string[],
  names: ReadonlySet<string>,
): ReadonlySet<string> {
  for (const name of wanted) {
    if (names.has(name)) continue;
    const nearest = suggestName(name, [...names]);
    const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
    throw new AgentError(
      "OPTION_INVALID",
      `the list "${list}" names the tool ${JSON.stringify(name)}, which does not exist.${hint} There are: ${[...names].join(", ")}.`,
      { list, name, ...(nearest === undefined ? {} : { nearest }) },
    );
  }
  return new Set(wanted);
}
