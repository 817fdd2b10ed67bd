/** From what a person typed to the session they mean, or to an error that helps them to say it better. */

import type { OnProgress, SessionInfo, Store } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import type { ToPaste } from "../terminal/command-to-paste.ts";
import { fitToWidth } from "../terminal/display-width.ts";
import { escapeKey } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { relativeTime } from "../terminal/format-time.ts";
import { type KeyMatch, LAST, matchKey } from "./match-key.ts";
import { sessionLabel } from "./session-label.ts";
import { sessionsOfKey } from "./sessions-of-key.ts";
import type { StoreSurroundings } from "./with-store.ts";

const SHOWN_CANDIDATES = 10;
const LABEL_WIDTH = 50;

export interface ChoiceOptions extends Pick<StoreSurroundings, "output" | "toPaste"> {
  /** Which sessions may be meant; those of the first status are looked at first. */
  readonly among: readonly SessionInfo["status"][];
  /** Told how many sessions were looked at, where all have to be. */
  readonly onProgress?: OnProgress;
}

/** What a command that reads looks at: where no active session is meant, an archived one may be. */
export const READABLE: ChoiceOptions["among"] = ["active", "archived"];
export const ANY_STATUS: ChoiceOptions["among"] = ["active", "archived", "trashed"];

export async function chooseSession(
  store: Store,
  wanted: string,
  options: ChoiceOptions,
): Promise<SessionInfo> {
  // Most often the key is given in full: then no other session needs to be looked at.
  const exact = await store.session(wanted).state();
  if (exact !== undefined && options.among.includes(exact.status)) return exact;
  if (wanted !== LAST) {
    // The whole key of a session that may not be meant here is not taken for a part of another one's.
    const sessions = await sessionsOfKey(store, wanted);
    const [elsewhere] = sessions;
    if (elsewhere !== undefined && !sessions.some(({ status }) => options.among.includes(status)))
      throw withOtherStatus(elsewhere, options);
  }
  const match = await findMatch(store, wanted, options);
  switch (match.kind) {
    case "found":
      return match.session;
    case "ambiguous":
      throw await ambiguous(store, wanted, match.candidates, options);
    case "unknown":
      throw (await putAwayMatch(store, wanted, options)) ?? unknown(wanted, match.nearest, options);
  }
}

async function findMatch(
  store: Store,
  wanted: string,
  { among, onProgress }: ChoiceOptions,
): Promise<KeyMatch> {
  const groups = new Map(among.map((status) => [status, new Map<string, SessionInfo>()]));
  const status = among.length === 1 ? (among[0] ?? "any") : "any";
  const watched = onProgress === undefined ? {} : { onProgress };
  for await (const session of store.list({ status, ...watched })) {
    const group = groups.get(session.status);
    // Of several with one key the newest, which comes first, is the one that is meant by its key.
    if (group?.has(session.key) === false) group.set(session.key, session);
  }
  // The whole key of a session in the trash is meant rather than a part of an archived one's.
  for (const group of groups.values()) {
    const exact = group.get(wanted);
    if (exact !== undefined) return { kind: "found", session: exact };
  }
  let nearest: SessionInfo | undefined;
  for (const group of groups.values()) {
    const match = matchKey(wanted, [...group.values()]);
    if (match.kind !== "unknown") return match;
    nearest ??= match.nearest;
  }
  return { kind: "unknown", nearest };
}

/** A part of a key that only sessions have which this command does not look among, such as those in the trash. */
async function putAwayMatch(
  store: Store,
  wanted: string,
  options: ChoiceOptions,
): Promise<CommandError | undefined> {
  const among = ANY_STATUS.filter((status) => !options.among.includes(status));
  if (wanted === LAST || among.length === 0) return undefined;
  const match = await findMatch(store, wanted, { ...options, among });
  if (match.kind === "found") return withOtherStatus(match.session, options);
  const [first] = match.kind === "ambiguous" ? match.candidates : [];
  return first === undefined ? undefined : withOtherStatus(first, options);
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

function withOtherStatus({ key, status }: SessionInfo, { toPaste }: ChoiceOptions): CommandError {
  const [what, remedy] = WHERE_IT_IS[status];
  return new CommandError("KEY_UNKNOWN", `${escapeKey(key)} ${what}`, {
    detail: { key, status },
    remedy: remedy(toPaste, key),
  });
}

const bringBack = (toPaste: ToPaste, key: string): string => `to bring it back: ${toPaste("restore", key)}`;
const WHERE_IT_IS: Readonly<
  Record<SessionInfo["status"], readonly [what: string, remedy: (toPaste: ToPaste, key: string) => string]>
> = {
  active: [
    "is active, and none of its key was put away",
    (toPaste, key) => `to read it: ${toPaste("show", key)}`,
  ],
  archived: ["is archived", bringBack],
  trashed: ["is in the trash", bringBack],
};

function unknown(wanted: string, nearest: SessionInfo | undefined, { toPaste }: ChoiceOptions): CommandError {
  if (wanted === LAST) {
    return new CommandError("KEY_UNKNOWN", "there is no session yet", {
      remedy: `begin one: ${toPaste('append my-first "hello"')}`,
    });
  }
  const hint = nearest === undefined ? "" : `; did you mean ${escapeKey(nearest.key)}?`;
  return new CommandError("KEY_UNKNOWN", `no session has “${escapeKey(wanted)}” in its key${hint}`, {
    detail: { wanted, ...(nearest === undefined ? {} : { nearest: nearest.key }) },
    remedy: `the sessions there are: ${toPaste("list")}`,
  });
}
