/** One line on standard error that says how far a long command is; on a terminal only, and gone when it is done. */

import { fitToWidth } from "./display-width.ts";
import type { Output } from "./output.ts";

export interface Progress {
  /** May be called as often as one likes; it is drawn a few times a second. */
  show(text: string): void;
  end(): void;
}

const MILLISECONDS_BETWEEN = 100;
const CLEAR_LINE = "\r\u001b[K";

/** The text is printed as it is: escape what comes from outside. */
export function startProgress(output: Output): Progress {
  const { errorWidth } = output;
  if (errorWidth === undefined) return { show: () => undefined, end: () => undefined };
  let drawnAt = 0;
  let isDrawn = false;
  return {
    show: (text) => {
      const now = output.now().getTime();
      if (now - drawnAt < MILLISECONDS_BETWEEN) return;
      drawnAt = now;
      isDrawn = true;
      output.writeError(CLEAR_LINE + fitToWidth(text, errorWidth - 1));
    },
    end: () => {
      if (isDrawn) output.writeError(CLEAR_LINE);
      isDrawn = false;
    },
  };
}

/** For tasks that count what they have done in a measure of their own. */
export function showPercent(progress: Progress, verb: string): (done: number, total: number) => void {
  return (done, total) => progress.show(`${verb}: ${total === 0 ? 100 : Math.floor((done / total) * 100)} %`);
}
