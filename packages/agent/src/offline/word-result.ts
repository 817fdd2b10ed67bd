/** Says in words what came of a tool call. What the tool answered stands there as it is, in a fence; nothing is made up. */

import { fenced } from "@longhand/store/context";
import { assertNever } from "../errors.ts";
import { OFFLINE_TOOLS, type OfflineTool } from "./understand-request.ts";

export interface CallResult {
  readonly tool: string;
  readonly arguments: unknown;
  readonly content: string;
  readonly isError: boolean;
}

/** `longest`: in characters, of what the tool answered. */
export function wordResult(result: CallResult, longest: number): string {
  const content = shorten(result.content.trim(), longest);
  if (result.isError) return `That did not work (${result.tool}):\n\n${fenced(content, "text")}`;
  const tool = OFFLINE_TOOLS.find((name) => name === result.tool);
  const sentence = tool === undefined ? undefined : sentenceFor(tool, result);
  if (sentence !== undefined) return sentence;
  if (content === "") return `Done (${result.tool}); it answered nothing.`;
  return `${tool === undefined ? `${result.tool} answered:` : headingFor(tool, result.arguments)}\n\n${fenced(content, "text")}`;
}

/** Where what the tool answered says nothing more. */
function sentenceFor(tool: OfflineTool, { arguments: given, content }: CallResult): string | undefined {
  if (tool === "remember") return "Remembered.";
  if (tool !== "write_file") return undefined;
  const [, size] = /: (\d+ bytes.*)$/.exec(content.trim()) ?? [];
  return `Written to ${shown(given, "path")}${size === undefined ? "" : ` (${size})`}.`;
}

function headingFor(tool: OfflineTool, given: unknown): string {
  switch (tool) {
    case "list_dir":
      return shown(given, "path") === "`.`"
        ? "The files in the workspace:"
        : `The files in ${shown(given, "path")}:`;
    case "read_file":
      return `${shown(given, "path")}:`;
    case "write_file":
      return `Written to ${shown(given, "path")}:`;
    case "exec":
      return `${shown(given, "command")} answered:`;
    case "recall":
      return `Looked for ${shown(given, "query")}:`;
    case "remember":
      return "Remembered:";
    case "load_skill":
      return "The skill says:";
    default:
      return assertNever(tool);
  }
}

/** One argument, on one line. */
function shown(given: unknown, name: string): string {
  const fields: readonly (readonly [string, unknown])[] =
    typeof given === "object" && given !== null ? Object.entries(given) : [];
  const [, value] = fields.find(([field]) => field === name) ?? [];
  if (typeof value !== "string") return "it";
  const line = value.replace(/\s+/gu, " ").replaceAll("`", "'");
  return `\`${line.length <= 80 ? line : `${line.slice(0, 79)}…`}\``;
}

function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  // Not through the middle of a character.
  const head = text.slice(0, longest).replace(/[\ud800-\udbff]$/, "");
  return `${head}\n[… ${text.length - head.length} characters more …]`;
}
