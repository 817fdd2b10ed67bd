/** Where a key comes from: the environment, or a file that nobody else may read. Never the configuration itself. */

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { AgentError } from "../errors.ts";

export interface SecretSource {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Of the variable; it wins over the file. */
  readonly name: string;
  /** Path of a file that holds nothing but the secret. */
  readonly file?: string | undefined;
}

const LONGEST_SECRET = 65_536;
const OTHERS = 0o077;

/** Without the white space around it. `undefined`: neither the variable nor the file is there, or what is there is empty. */
export async function readSecret(source: SecretSource): Promise<string | undefined> {
  const fromEnvironment = source.environment[source.name]?.trim() ?? "";
  if (fromEnvironment !== "") return fromEnvironment;
  if (source.file === undefined) return undefined;
  const secret = (await readPrivateFile(source.file))?.trim() ?? "";
  return secret === "" ? undefined : secret;
}

async function readPrivateFile(path: string): Promise<string | undefined> {
  // Opened first and looked at afterwards, so that what is checked is what is read; a pipe must not block.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw invalid(path, `cannot be read (${codeOf(error)})`, error);
  });
  if (file === undefined) return undefined;
  try {
    const { mode, size } = await file.stat().then((found) => {
      if (!found.isFile()) throw invalid(path, "is not a regular file");
      return found;
    });
    if ((mode & OTHERS) !== 0 && process.platform !== "win32")
      throw invalid(path, `can be read or changed by others: run chmod 600 ${path}`);
    if (size > LONGEST_SECRET) throw invalid(path, `is longer than ${LONGEST_SECRET} bytes, which is no key`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

function invalid(path: string, problem: string, cause?: unknown): AgentError {
  return new AgentError("OPTION_INVALID", `the secret file ${path} ${problem}`, { path }, cause);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
