/** What a person should know of the pages, each said once: what was not taken in, not written, or not where it was. */

import { join } from "node:path";
import { LonghandError, type LonghandErrorCode } from "../../errors.ts";

export class Tellings {
  readonly #directory: string;
  readonly #onError: (error: LonghandError) => void;
  readonly #told = new Set<string>();

  constructor(directory: string, onError: (error: LonghandError) => void) {
    this.#directory = directory;
    this.#onError = onError;
  }

  forgotten(page: string, id: string): void {
    this.#tell(
      `forgotten ${id}`,
      "OPTION_INVALID",
      `${page} had a line of the entry ${id}, which was forgotten: it was not taken in. To remember it anew, write it without the comment that names the entry`,
      { file: join(this.#directory, page), id },
    );
  }

  noFile(page: string): void {
    const file = join(this.#directory, page);
    const message = `${file} is a directory, a link or something else that is no file: it is neither read nor written, and everything else goes on; move it away, and the page is written again`;
    this.#tell(`no file ${page}`, "IO_FAILED", message, { file });
  }

  noDirectory(name: string): void {
    const file = join(this.#directory, name);
    const message = `${file} is not a directory, or only a link to one: the pages of days are neither read nor written, and everything else goes on; move it away, and open the memory again`;
    this.#tell(`no directory ${name}`, "IO_FAILED", message, { file });
  }

  beingSaved(page: string): void {
    const file = join(this.#directory, page);
    const message = `${file} is saved over and over and never has its last line, the end mark: it was left alone; the next refresh takes it in`;
    this.#tell(`being saved ${page}`, "IO_FAILED", message, { file });
  }

  brokenOff(page: string, fragment: string): void {
    const file = join(this.#directory, page);
    const message = `${file} broke off in the middle of a line, without its end mark: that line was not taken in and stands under "Notes" now; if it is whole, move it to its section`;
    this.#tell(`broken off ${page} ${fragment}`, "OPTION_INVALID", message, { file });
  }

  #tell(
    key: string,
    code: LonghandErrorCode,
    message: string,
    detail: Readonly<Record<string, unknown>>,
  ): void {
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#onError(new LonghandError(code, message, detail));
  }
}
