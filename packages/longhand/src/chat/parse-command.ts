/** Whether a line is a command of the chat, and which. Pure. */

import type { ChatCommand } from "./chat-command.ts";

export type ParsedLine =
  | { readonly kind: "message" }
  | { readonly kind: "command"; readonly command: ChatCommand; readonly argument: string }
  /** No such command, or not in this way. */
  | { readonly kind: "unusable"; readonly hint: string };

/** A path such as /etc/hosts is no command. */
const COMMAND = /^\/([A-Za-z]+)(?:\s+([\s\S]*))?$/;

export function parseCommand(line: string, commands: readonly ChatCommand[]): ParsedLine {
  const match = COMMAND.exec(line);
  if (match === null) return { kind: "message" };
  const [, written = "", argument = ""] = match;
  const name = written.toLowerCase();
  const command = commands.find((each) => each.name === name);
  if (command?.argument === "" && argument.trim() !== "") {
    const hint = `/${name} takes no arguments. To say it as it is, put a space before it.`;
    return { kind: "unusable", hint };
  }
  if (command !== undefined) return { kind: "command", command, argument: argument.trim() };
  const near = nearest(name, commands);
  const meant = near === undefined ? "/help lists the commands" : `did you mean /${near.name}?`;
  return {
    kind: "unusable",
    hint: `There is no command /${written}; ${meant} To say it as it is, put a space before it.`,
  };
}

/** What the commands that begin like the line have in common; the line itself if there are none. */
export function completeCommand(
  line: string,
  commands: readonly ChatCommand[],
): { text: string; choices: readonly string[] } {
  if (!/^\/[a-z]*$/.test(line)) return { text: line, choices: [] };
  const choices = commands.map(({ name }) => `/${name}`).filter((name) => name.startsWith(line));
  const [first, ...others] = choices;
  if (first === undefined) return { text: line, choices };
  if (others.length === 0) return { text: `${first} `, choices };
  let length = line.length;
  while (length < first.length && others.every((name) => name.charAt(length) === first.charAt(length)))
    length++;
  return { text: first.slice(0, length), choices };
}

function nearest(name: string, commands: readonly ChatCommand[]): ChatCommand | undefined {
  const begins = commands.filter((each) => each.name.startsWith(name));
  if (begins.length === 1) return begins[0];
  return commands.find((each) => isOneSlipAway(name, each.name));
}

/** One character more, less, other, or two that changed places. */
function isOneSlipAway(a: string, b: string): boolean {
  let same = 0;
  while (same < Math.min(a.length, b.length) && a.charAt(same) === b.charAt(same)) same++;
  const [restOfA, restOfB] = [a.slice(same), b.slice(same)];
  if (restOfA.slice(1) === restOfB || restOfA === restOfB.slice(1)) return true;
  if (restOfA.slice(1) === restOfB.slice(1)) return true;
  const swapped = restOfA.charAt(1) + restOfA.charAt(0) + restOfA.slice(2);
  return restOfA.length > 1 && swapped === restOfB;
}
