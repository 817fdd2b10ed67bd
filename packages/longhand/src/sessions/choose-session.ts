/** From what a person typed to the session they mean, or to an error that helps them to say it better. */

import type { SessionInfo, Store } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { fitToWidth } from "../terminal/display-width.ts";
import { escapeKey } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { relativeTime } from "../terminal/format-time.ts";
import { type KeyMatch, LAST, matchKey } from "./match-key.ts";
import { sessionLabel } from "./session-label.ts";
import type { StoreSurroundings } from "./with-store.ts";

const SHOWN_CANDIDATES = 10;
const LABEL_WIDTH = 50;

export interface ChoiceOptions extends Pick<StoreSurroundings, "output" | "toPaste"> {
  /** For commands that read: where no active session is meant, an archived one may be. */
  readonly archivedToo: boolean;
}

export async function chooseSession(
  store: Store,
  wanted: string,
  options: ChoiceOptions,
): Promise<SessionInfo> {
  // Most often the key is given in full: then no other session needs to be looked at.
  const exact = await store.session(wanted).state();
  if (exact !== undefined) return exact;
  const match = await findMatch(store, wanted, options);
  switch (match.kind) {
    case "found":
      return match.session;
    case "ambiguous":
      throw await ambiguous(store, wanted, match.candidates, options);
    case "unknown":
      throw unknown(wanted, match.nearest, options);
  }
}

async function findMatch(store: Store, wanted: string, { archivedToo }: ChoiceOptions): Promise<KeyMatch> {
  const active: SessionInfo[] = [];
  const archived = new Map<string, SessionInfo>();
  for await (const session of store.list({ status: archivedToo ? "any" : "active" })) {
    if (session.status === "active") active.push(session);
    // Of several with one key the newest, which comes first, is the one that its key reads.
    else if (session.status === "archived" && !archived.has(session.key)) archived.set(session.key, session);
  }
  const match = matchKey(wanted, active);
  if (match.kind !== "unknown" || archived.size === 0) return match;
  const other = matchKey(wanted, [...archived.values()]);
  return other.kind === "unknown" ? { kind: "unknown", nearest: match.nearest ?? other.nearest } : other;
}

async function ambiguous(
  store: Store,
  wanted: string,
  candidates: readonly SessionInfo[],
  { output, toPaste }: ChoiceOptions,
): Promise<CommandError> {
  const lines = [`${candidates.length} sessions have “${escapeKey(wanted)}” in their key; say which:`];
  for (const session of candidates.slice(0, SHOWN_CANDIDATES)) {
    const { key, count, updated } = session;
    const label = await labelOrNothing(store, session);
    const facts = `${relativeTime(updated, output.now())}, ${countOf(count, "message")}`;
    lines.push(`  ${escapeKey(key)}  (${facts}${label === "" ? "" : `: ${label}`})`);
  }
  const more = candidates.length - SHOWN_CANDIDATES;
  return new CommandError("KEY_AMBIGUOUS", lines.join("\n"), {
    detail: { candidates: candidates.map(({ key }) => key) },
    ...(more > 0 ? { remedy: `… and ${more} more: ${toPaste("list")}` } : {}),
  });
}

/** In an error message a session that cannot be read is still worth its key. */
async function labelOrNothing(store: Store, session: SessionInfo): Promise<string> {
  const { isLonghandError } = await import("@longhand/store");
  try {
    return fitToWidth(await sessionLabel(store, session), LABEL_WIDTH);
  } catch (error) {
    if (isLonghandError(error)) return "";
    throw error;
  }
}

function unknown(wanted: string, nearest: SessionInfo | undefined, { toPaste }: ChoiceOptions): CommandError {
  if (wanted === LAST) {
    return new CommandError("KEY_UNKNOWN", "there is no session yet", {
      remedy: `begin one: ${toPaste('append my-first "hello"')}`,
    });
  }
  const hint = nearest === undefined ? "" : `; did you mean ${escapeKey(nearest.key)}?`;
  return new CommandError("KEY_UNKNOWN", `no session has “${escapeKey(wanted)}” in its key${hint}`, {
    detail: nearest === undefined ? {} : { nearest: nearest.key },
    remedy: `the sessions there are: ${toPaste("list")}`,
  });
}
