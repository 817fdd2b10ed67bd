/**
 * Whether a line was written by Longhand, judged by its shape alone: how each of our lines begins, the checksum at its end, or a
 * message inside it. One of these may be damaged and the others still tell. The programs whose files are migrated write none of
 * them, and inside a user's text the quotes are escaped.
 */

const OURS =
  /^\{"(?:longhand"|seq":[0-9]+,"at":"|checkpoint":\{)|,"crc":"[0-9a-f]{8}"\}|"message":\{"role":"/m;

/** `bytes`: one line, or any part of a file. */
export function hasOurLine(bytes: Buffer): boolean {
  return OURS.test(bytes.toString("latin1"));
}
