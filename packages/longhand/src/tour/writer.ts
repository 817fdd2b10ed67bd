/**
 * The process that the tour kills. Appends numbered messages as fast as it can, several at once, and prints a line for
 * each that was acknowledged. It ends only by being killed, or when nobody listens any more.
 */

import { openStore } from "@longhand/store";
import { writerText } from "./writer-text.ts";

const AT_ONCE = 4;
/** If the parent is gone without killing it, it does not fill the disk. */
const MOST_MESSAGES = 20_000;

const [directory, key] = process.argv.slice(2);
if (directory === undefined || key === undefined) throw new Error("usage: writer DIRECTORY KEY");

process.stdout.on("error", () => process.exit(1));

const session = (await openStore(directory)).session(key);
let number = 0;
const appendForEver = async (): Promise<void> => {
  while (number < MOST_MESSAGES) {
    const mine = ++number;
    const { seq } = await session.append({ role: "user", content: writerText(mine) });
    process.stdout.write(`${JSON.stringify({ number: mine, seq })}\n`);
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, appendForEver));
