/**
 * What was typed in earlier chats, for the arrow keys: a file that only its owner can read, a JSON string a line. It is a
 * convenience: a chat works without it, and where it cannot be read or written that is said once.
 */

import { appendFile, chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "../error-code.ts";

const KEPT = 1000;
/** Longer ones are hardly typed again, and would be read at every start. */
const LONGEST = 10_000;

export class InputHistory {
  readonly #file: string | undefined;
  readonly #onProblem: (problem: string) => void;
  #writing: Promise<void> = Promise.resolve();
  #isTold = false;

  /** `undefined`: nothing is kept. */
  constructor(file: string | undefined, onProblem: (problem: string) => void) {
    this.#file = file;
    this.#onProblem = onProblem;
  }

  /** Oldest first. */
  async read(): Promise<string[]> {
    const file = this.#file;
    if (file === undefined) return [];
    try {
      const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
      await chmod(file, 0o600);
      if (lines.length > KEPT * 2) await shorten(file, lines.slice(-KEPT));
      return lines.slice(-KEPT).flatMap(entryOf);
    } catch (error) {
      if (errorCode(error) !== "ENOENT") this.#tell(error);
      return [];
    }
  }

  add(text: string): void {
    const file = this.#file;
    if (file === undefined || text.length > LONGEST) return;
    this.#writing = this.#writing.then(async () => {
      try {
        await mkdir(dirname(file), { recursive: true, mode: 0o700 });
        await appendFile(file, `${JSON.stringify(text)}\n`, { mode: 0o600 });
      } catch (error) {
        this.#tell(error);
      }
    });
  }

  /** Everything added is written. */
  async close(): Promise<void> {
    await this.#writing;
  }

  #tell(error: unknown): void {
    if (this.#isTold) return;
    this.#isTold = true;
    const reason = error instanceof Error ? error.message : String(error);
    this.#onProblem(`what you type is not kept for the next time: ${reason}`);
  }
}

/** Two chats may do this at once; what one of them has added meanwhile is worth less than a lock. */
async function shorten(file: string, lines: readonly string[]): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  await writeFile(temporary, lines.map((line) => `${line}\n`).join(""), { mode: 0o600 });
  await rename(temporary, file);
}

/** A line that is no JSON string was torn by a crash or edited: it is passed over. */
function entryOf(line: string): string[] {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === "string" && entry.trim() !== "" ? [entry] : [];
  } catch {
    return [];
  }
}
