import { LonghandError } from "../errors.ts";

/** `doing`: what the backend of a store is not capable of. */
export function lackOf(doing: string, detail: Readonly<Record<string, unknown>>): LonghandError {
  const message = `this store's backend cannot ${doing} sessions; the JSONL backend can`;
  return new LonghandError("STORE_READ_ONLY", message, detail);
}
