/** Writes JSON lines one after another, in the order they were given, however slow the other side is. */

import { deferred } from "../kernel/deferred.ts";
import { Mailbox } from "../kernel/mailbox.ts";

/** An event cannot wait: it is told, not asked for. What bounds it is that results are waited for, and with them new work. */
const NO_BOUND = Number.MAX_SAFE_INTEGER;

interface Line {
  readonly text: string;
  readonly isOver: () => void;
}

export class LineOutput {
  readonly #lines = new Mailbox<Line>(NO_BOUND);
  readonly #write: (line: string) => void | Promise<void>;
  readonly #writing: Promise<void>;
  readonly #abandoned = deferred<undefined>();
  #inHand: Line | undefined;
  #failure: { error: unknown } | undefined;

  /** `failed` is called once, when nothing can be written any more; what is given afterwards is dropped. */
  constructor(write: (line: string) => void | Promise<void>, failed: (error: unknown) => void) {
    this.#write = write;
    this.#writing = this.#run(failed);
  }

  /** Resolves when it is written, or when nothing can be. */
  line(value: Readonly<Record<string, unknown>>): Promise<void> {
    return new Promise((resolve) => {
      const isTaken = this.#lines.offer({ text: JSON.stringify(value), isOver: resolve });
      if (!isTaken) resolve();
    });
  }

  /** Waits for everything given before. Rejects with what went wrong, also if that was long ago. */
  async close(): Promise<void> {
    this.#lines.seal();
    await Promise.race([this.#writing, this.#abandoned.promise]);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Nobody reads any more, and nobody waits for that any longer. What was not written is dropped. */
  abandon(): void {
    for (const left of this.#lines.close()) left.isOver();
    this.#inHand?.isOver();
    this.#abandoned.resolve(undefined);
  }

  async #run(failed: (error: unknown) => void): Promise<void> {
    for (let line = await this.#lines.take(); line !== undefined; line = await this.#lines.take()) {
      this.#inHand = line;
      try {
        await this.#write(line.text);
      } catch (error) {
        this.#failure = { error };
        for (const left of this.#lines.close()) left.isOver();
        failed(error);
      }
      line.isOver();
    }
  }
}
