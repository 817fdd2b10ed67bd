/** What could be written but not read back is refused at the door. */

import { LonghandError } from "../errors.ts";
import type { Body } from "../format/entry.ts";
import { MAX_BATCH_BYTES, MAX_MESSAGE_BYTES } from "../format/format.ts";
import { checkValue, text } from "./check-options.ts";

export function checkText(of: string, name: string, value: unknown): void {
  checkValue(of, name, value, text);
  checkSize(of, name, value);
}

/** As for messages. */
export function checkSize(of: string, name: string, value: unknown): void {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= MAX_MESSAGE_BYTES) return;
  const limit = MAX_MESSAGE_BYTES;
  const message = `${name} of ${of} has ${bytes} bytes; at most ${limit / 1024 / 1024} MiB can be kept`;
  throw new LonghandError("MESSAGE_TOO_LARGE", message, { bytes, limit });
}

export function checkBatch(bodies: readonly Body[]): readonly Body[] {
  let bytes = 0;
  for (const body of bodies) if (body.op === "message") bytes += Buffer.byteLength(body.json);
  if (bytes <= MAX_BATCH_BYTES) return bodies;
  throw new LonghandError(
    "MESSAGE_TOO_LARGE",
    `a batch holds at most ${MAX_BATCH_BYTES / 1024 / 1024} MiB, this one ${Math.ceil(bytes / 1024 / 1024)}; append it in parts`,
    { bytes, limit: MAX_BATCH_BYTES },
  );
}
