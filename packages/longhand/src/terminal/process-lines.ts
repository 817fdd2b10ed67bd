/** The lines of standard input, as they are asked for; no more than one is held. */

import { splitLines, type UnusableLine } from "@longhand/agent";

export function processLines(most: number): AsyncIterableIterator<string | UnusableLine> {
  const { stdin } = process;
  const lines = splitLines(stdin as AsyncIterable<Buffer>, most);
  return {
    next: () => lines.next(),
    // Not lines.return(): it would wait for a read that waits, and an open standard input keeps the process.
    return: () => {
      stdin.destroy();
      return Promise.resolve({ done: true, value: undefined });
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
