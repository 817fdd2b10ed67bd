/** From what a person typed to the session they mean, or to an error that helps them to say it better. */

import { isLonghandError, type SessionInfo, type Store } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { escapeKey } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { relativeTime } from "../terminal/format-time.ts";
import { LAST, matchKey } from "./match-key.ts";
import { sessionLabel } from "./session-label.ts";

const SHOWN_CANDIDATES = 10;

export async function chooseSession(store: Store, wanted: string, now: Date): Promise<SessionInfo> {
  // Most often the key is given in full: then no other session needs to be looked at.
  const exact = await store.session(wanted).state();
  if (exact !== undefined) return exact;
  const match = matchKey(wanted, await allSessions(store));
  switch (match.kind) {
    case "found":
      return match.session;
    case "ambiguous":
      throw await ambiguous(store, wanted, match.candidates, now);
    case "unknown":
      throw unknown(wanted, match.nearest);
  }
}

/** A write to a new key begins a session, so the key is taken as it is given: no part of another one. */
export async function keyToWrite(store: Store, wanted: string, now: Date): Promise<string> {
  return wanted === LAST ? (await chooseSession(store, wanted, now)).key : wanted;
}

async function allSessions(store: Store): Promise<SessionInfo[]> {
  const sessions: SessionInfo[] = [];
  for await (const session of store.list()) sessions.push(session);
  return sessions;
}

async function ambiguous(
  store: Store,
  wanted: string,
  candidates: readonly SessionInfo[],
  now: Date,
): Promise<CommandError> {
  const lines = [`${candidates.length} sessions have “${escapeKey(wanted)}” in their key; say which:`];
  for (const session of candidates.slice(0, SHOWN_CANDIDATES)) {
    const { key, count, updated } = session;
    const label = await labelOrNothing(store, session);
    const facts = `${relativeTime(updated, now)}, ${countOf(count, "message")}`;
    lines.push(`  ${escapeKey(key)}  (${facts}${label === "" ? "" : `: ${label}`})`);
  }
  const more = candidates.length - SHOWN_CANDIDATES;
  if (more > 0) lines.push(`  … and ${more} more: longhand list`);
  return new CommandError("KEY_AMBIGUOUS", lines.join("\n"), {
    candidates: candidates.map(({ key }) => key),
  });
}

/** In an error message a session that cannot be read is still worth its key. */
async function labelOrNothing(store: Store, session: SessionInfo): Promise<string> {
  try {
    return (await sessionLabel(store, session)).slice(0, 50);
  } catch (error) {
    if (isLonghandError(error)) return "";
    throw error;
  }
}

function unknown(wanted: string, nearest: SessionInfo | undefined): CommandError {
  if (wanted === LAST) {
    return new CommandError("KEY_UNKNOWN", "there is no session yet; begin one: longhand append KEY TEXT");
  }
  const hint =
    nearest === undefined
      ? "longhand list shows the sessions there are"
      : `did you mean ${escapeKey(nearest.key)}? longhand list shows all`;
  return new CommandError(
    "KEY_UNKNOWN",
    `no session has “${escapeKey(wanted)}” in its key; ${hint}`,
    nearest === undefined ? {} : { nearest: nearest.key },
  );
}
