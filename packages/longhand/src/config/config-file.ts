/** One longhand.json: read, and checked against the schema. All that is wrong with it is told at once, with the lines. */

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../error-code.ts";
import { explainIssue } from "./explain-issue.ts";
import { JsonFault, type JsonPath, lineAndColumn, pathKey, type ScannedJson, scanJson } from "./scan-json.ts";
import { settingsSchema } from "./settings-schema.ts";

export const CONFIG_FILE = "longhand.json";
const MAX_BYTES = 1024 * 1024;
/** Where keys and words are sent, and which directories agents work in: a workspace may be anybody's, so it does not decide that. */
const HOME_ONLY = ["models", "agents"];

export interface ConfigProblem {
  /** The path of the file, or the name of the variable. */
  readonly where: string;
  readonly line?: number;
  readonly column?: number;
  /** Such as "agent.model"; "" for the whole file. */
  readonly field: string;
  readonly message: string;
}

export interface ConfigFile {
  readonly from: "workspace" | "home";
  readonly path: string;
  /** `false`: there is none, and that is no problem. */
  readonly exists: boolean;
  /** As it is in the file; {} where there is none or it has problems. */
  readonly content: Readonly<Record<string, unknown>>;
  readonly problems: readonly ConfigProblem[];
  lineOf(path: JsonPath): number | undefined;
}

export async function readConfigFile(directory: string, from: ConfigFile["from"]): Promise<ConfigFile> {
  const path = join(directory, CONFIG_FILE);
  const unusable = (message: string, at?: { line: number; column: number }): ConfigFile => ({
    ...{ from, path, exists: true, content: {}, lineOf: () => undefined },
    problems: [{ where: path, ...at, field: "", message }],
  });
  let text: string | undefined;
  try {
    text = await readText(path);
  } catch (error) {
    return unusable(error instanceof Error ? error.message : String(error));
  }
  if (text === undefined) {
    return { from, path, exists: false, content: {}, problems: [], lineOf: () => undefined };
  }
  try {
    return checkFile(text, scanJson(text), path, from);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return unusable(error.message, lineAndColumn(text, error.offset));
  }
}

function checkFile(
  text: string,
  { value, offsets }: ScannedJson,
  path: string,
  from: ConfigFile["from"],
): ConfigFile {
  const offsetOf = (field: JsonPath): number | undefined => offsets.get(pathKey(field));
  const problem = (field: JsonPath, message: string): ConfigProblem => {
    // A field that is missing stands nowhere; the object it is missing from does.
    const offset = offsetOf(field) ?? offsetOf(field.slice(0, -1));
    return {
      where: path,
      ...(offset === undefined ? {} : lineAndColumn(text, offset)),
      field: fieldText(field),
      message,
    };
  };
  const checked = settingsSchema.safeParse(value);
  const problems = checked.success
    ? []
    : checked.error.issues.flatMap(explainIssue).map((issue) => problem(issue.path, issue.message));
  const content: Readonly<Record<string, unknown>> = isObject(value) ? value : {};
  if (from === "workspace") {
    for (const field of HOME_ONLY.filter((name) => Object.hasOwn(content, name))) {
      problems.push(
        problem(
          [field],
          `belongs into ${CONFIG_FILE} of the home: a workspace does not decide where keys and words go`,
        ),
      );
    }
  }
  problems.sort(
    (one, other) => (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0),
  );
  const lineOf = (field: JsonPath): number | undefined => {
    const offset = offsetOf(field);
    return offset === undefined ? undefined : lineAndColumn(text, offset).line;
  };
  return { from, path, exists: true, content: problems.length > 0 ? {} : content, problems, lineOf };
}

/** `undefined`: there is no such file. */
async function readText(path: string): Promise<string | undefined> {
  let file;
  try {
    // Without O_NONBLOCK a pipe under that name would make us wait for ever.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
  try {
    const facts = await file.stat();
    if (!facts.isFile()) throw new Error("it is no regular file");
    if (facts.size > MAX_BYTES) throw new Error("it is longer than 1 MB");
    const text = new TextDecoder().decode(await file.readFile());
    if (text.trim() === "") throw new Error("it is empty; the least it may be is {}");
    return text;
  } finally {
    await file.close();
  }
}

export function fieldText(path: JsonPath): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? String(part) : `${text}.${String(part)}`;
  }, "");
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
