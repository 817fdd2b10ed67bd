import { countOf } from "../terminal/format-count.ts";

/** Conversations that wait for nothing but an answer to their last turn. */
export function describeOpen(count: number): string {
  return `${countOf(count, "conversation")} with an unanswered last turn`;
}
