/** A text file of a skill: a regular one, not a link, not too long, UTF-8, with nothing hidden in it. */

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { findHiddenText } from "./find-hidden-text.ts";

/** Throws an Error whose message is the reason; errors of the system as they are. */
export async function readTextFile(path: string, maxBytes: number): Promise<string> {
  // Without O_NONBLOCK a pipe that somebody put there would make us wait for ever.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error("it is no regular file");
    const bytes = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length);
      length += bytesRead;
      if (bytesRead === 0 || length > maxBytes) break;
    }
    if (length > maxBytes) throw new Error(`it is longer than ${Math.floor(maxBytes / 1024)} KB`);
    const text = decode(bytes.subarray(0, length));
    const hidden = findHiddenText(text);
    if (hidden !== undefined) throw new Error(hidden);
    return text;
  } finally {
    await file.close();
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error("it is no UTF-8 text");
  }
}
