import type { Host } from "./host.ts";
import { makeId, RANDOM_BYTES_OF_AN_ID, type Id } from "../format/session-id.ts";

/** An id that nobody has: of this moment, and of chance. */
export function newId(host: Pick<Host, "now" | "randomBytes">): Id {
  return makeId(host.now(), host.randomBytes(RANDOM_BYTES_OF_AN_ID));
}
