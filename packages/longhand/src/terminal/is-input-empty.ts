/** Whether standard input ends before anything comes. Waits for that as long as it takes; what came is still there to be read. */

import { once } from "node:events";

export async function isInputEmpty(): Promise<boolean> {
  const { stdin } = process;
  await once(stdin, "readable");
  const chunk: unknown = stdin.read();
  if (!(chunk instanceof Uint8Array)) return true;
  stdin.unshift(chunk);
  return false;
}
