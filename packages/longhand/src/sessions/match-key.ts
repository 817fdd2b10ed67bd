/** Which session a person means by a part of its key. Pure; the exact key has been tried before. */

import type { SessionInfo } from "@longhand/store";

export const LAST = "last";

export type KeyMatch =
  | { readonly kind: "found"; readonly session: SessionInfo }
  | { readonly kind: "ambiguous"; readonly candidates: readonly SessionInfo[] }
  | { readonly kind: "unknown"; readonly nearest: SessionInfo | undefined };

/** `sessions`: newest activity first. */
export function matchKey(wanted: string, sessions: readonly SessionInfo[]): KeyMatch {
  const exact = sessions.find(({ key }) => key === wanted);
  if (exact !== undefined) return { kind: "found", session: exact };
  if (wanted === LAST) {
    const [newest] = sessions;
    return newest === undefined
      ? { kind: "unknown", nearest: undefined }
      : { kind: "found", session: newest };
  }
  const candidates = firstNonEmpty(
    sessions.filter(({ key }) => key.includes(wanted)),
    () => sessions.filter(({ key }) => key.toLowerCase().includes(wanted.toLowerCase())),
  );
  const [first, second] = candidates;
  if (first === undefined) return { kind: "unknown", nearest: nearestTo(wanted, sessions) };
  return second === undefined ? { kind: "found", session: first } : { kind: "ambiguous", candidates };
}

function firstNonEmpty(
  first: readonly SessionInfo[],
  otherwise: () => readonly SessionInfo[],
): readonly SessionInfo[] {
  return first.length > 0 ? first : otherwise();
}

/** A slip of the finger away, or a few in a long key. */
function nearestTo(wanted: string, sessions: readonly SessionInfo[]): SessionInfo | undefined {
  let nearest: SessionInfo | undefined;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const session of sessions) {
    // Longer or shorter by that much is at least as many edits.
    if (Math.abs(session.key.length - wanted.length) >= least) continue;
    const distance = editDistance(wanted, session.key);
    if (distance >= least) continue;
    least = distance;
    nearest = session;
  }
  return nearest;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substituted = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(substituted, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
