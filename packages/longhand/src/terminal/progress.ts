/**
 * One line on standard error that says how far a long command is: on a terminal only, from the second second on, and gone
 * when it is done. The line has the seconds in it, so that it moves even while a single large session is read.
 */

import { fitToWidth } from "./display-width.ts";
import type { Output } from "./output.ts";

export interface Progress {
  /** May be called as often as one likes; it is drawn a few times a second. */
  show(text: string): void;
  /**
   * The same output. What is written to it does not run into the line; an answer that begins on the same terminal ends
   * the progress.
   */
  readonly output: Output;
}

const MILLISECONDS_UNTOLD = 1000;
const MILLISECONDS_BETWEEN = 100;
const MILLISECONDS_ALIVE = 250;
const CLEAR_LINE = "\r\u001b[K";

/** The text that is shown is printed as it is: escape what comes from outside. */
export async function withProgress<T>(output: Output, use: (progress: Progress) => Promise<T>): Promise<T> {
  const { errorWidth } = output;
  if (errorWidth === undefined) return await use({ show: () => undefined, output });
  const line = new ProgressLine(output, errorWidth);
  try {
    return await use(line);
  } finally {
    line.end();
  }
}

class ProgressLine implements Progress {
  readonly output: Output;
  readonly #given: Output;
  readonly #width: number;
  readonly #beganAt: number;
  readonly #timer: NodeJS.Timeout;
  #text = "";
  #drawnAt = 0;
  #isDrawn = false;
  #isEnded = false;

  constructor(given: Output, width: number) {
    this.#given = given;
    this.#width = width;
    this.#beganAt = given.now().getTime();
    this.#timer = setInterval(() => this.#draw(), MILLISECONDS_ALIVE);
    this.output = {
      ...given,
      write: (text) => {
        if (given.isTerminal) this.end();
        given.write(text);
      },
      writeError: (text) => {
        this.#erase();
        given.writeError(text);
      },
    };
  }

  show(text: string): void {
    this.#text = text;
    this.#draw();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#isEnded = true;
    this.#erase();
  }

  #draw(): void {
    const now = this.#given.now().getTime();
    const isTooSoon = now - this.#beganAt < MILLISECONDS_UNTOLD || now - this.#drawnAt < MILLISECONDS_BETWEEN;
    if (this.#isEnded || this.#text === "" || isTooSoon) return;
    this.#drawnAt = now;
    this.#isDrawn = true;
    const seconds = Math.floor((now - this.#beganAt) / 1000);
    this.#given.writeError(CLEAR_LINE + fitToWidth(`${this.#text} · ${seconds} s`, this.#width - 1));
  }

  #erase(): void {
    if (this.#isDrawn) this.#given.writeError(CLEAR_LINE);
    this.#isDrawn = false;
  }
}

/** For tasks that count what they have done in a measure of their own. */
export function showPercent(
  progress: Pick<Progress, "show">,
  verb: string,
): (done: number, total: number) => void {
  return (done, total) => progress.show(`${verb}: ${total === 0 ? 100 : Math.floor((done / total) * 100)} %`);
}
