/** Where the sealed files of a session lie: a directory by its id, in it each by its number. */

import { SESSION_SUFFIX } from "../format/key.ts";
import type { Id } from "../format/session-id.ts";

export const COMPRESSED_SUFFIX = ".gz";

/** Where a sealed file may lie: as it was sealed, or compressed since. */
export function segmentCandidates(path: string): readonly [string, string] {
  return [path, path + COMPRESSED_SUFFIX];
}

export function segmentDirectory(segments: string, sessionId: Id): string {
  return `${segments}/${sessionId}`;
}

export function segmentPath(segments: string, sessionId: Id, file: number): string {
  return `${segmentDirectory(segments, sessionId)}/${file}${SESSION_SUFFIX}`;
}
