import { createInterface } from "node:readline";

/** The lines of standard input, as they come. */
export async function* processLines(): AsyncIterable<string> {
  const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
  try {
    yield* lines;
  } finally {
    lines.close();
  }
}
