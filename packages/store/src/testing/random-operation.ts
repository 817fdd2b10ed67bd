/** One random write, now and then a wrong one. */

import type { Message } from "../format/message.ts";
import type { IdentifiedWriteOptions, Session } from "../contract/types.ts";
import { say } from "./case-language.ts";
import type { SeededRandom } from "./seeded-random.ts";

export interface RandomOperation {
  readonly description: string;
  run(session: Session): Promise<unknown>;
}

/** How the session stands: bounds are drawn around it. */
export interface Situation {
  readonly seq: number;
  /** How many sessions of the key are put away; `undefined`: none can be. */
  readonly away: { readonly archived: number; readonly trashed: number } | undefined;
  /** Keys to fork to, taken or free. */
  readonly forkTo: readonly string[];
}

export const NOTE_KINDS = ["pin", "usage", ""] as const;
const WORDS = ["yes", "no", "ünïcode", "🙂", "two\nlines", '"', "\\", "\u2028", "\ud800", ""];
/** Few, so that they meet again. */
const IDS = ["a", "b", "c", "d"];

type Make = (random: SeededRandom, seq: number) => RandomOperation;

/** One operation in so many puts a session away or brings it back. */
const OPERATIONS_TO_A_PUTTING_AWAY = 6;
const OPERATIONS_TO_A_FORK = 10;

/** More likely the more often it is named. */
const KINDS: readonly Make[] = [
  ...[append, append, append, append, batch, batch, note],
  ...[
    summary,
    title,
    tags,
    truncateLast,
    truncateFrom,
    rewindMessages,
    rewindTo,
    rewindTo,
    compact,
    undoCut,
    replace,
  ],
];

export function randomOperation(random: SeededRandom, { seq, away, forkTo }: Situation): RandomOperation {
  if (forkTo.length > 0 && random.below(OPERATIONS_TO_A_FORK) === 0) return fork(random, seq, forkTo);
  if (away !== undefined && random.below(OPERATIONS_TO_A_PUTTING_AWAY) === 0) return putAway(random, away);
  return pick(random, KINDS)(random, seq);
}

function putAway(random: SeededRandom, away: NonNullable<Situation["away"]>): RandomOperation {
  // Which of several deleted ones is the newest is a matter of milliseconds, and may differ.
  const isClear = away.archived > 0 || away.trashed <= 1;
  const kinds = [
    "archive",
    "archive",
    "delete",
    "delete forever",
    ...(isClear ? ["restore", "restore"] : []),
  ];
  switch (pick(random, kinds)) {
    case "archive":
      return described("archive", [], (session) => session.archive());
    case "restore":
      return described("restore", [], (session) => session.restore());
    case "delete":
      return described("delete", [], (session) => session.delete());
    default:
      return described("delete", [{ forever: true }], (session) => session.delete({ forever: true }));
  }
}

function fork(random: SeededRandom, seq: number, keys: readonly string[]): RandomOperation {
  const newKey = pick(random, keys);
  const options = random.below(2) === 0 ? {} : { at: random.below(seq + 2) };
  return described("fork", [newKey, options], async (session) => (await session.fork(newKey, options)).key);
}

function append(random: SeededRandom, seq: number): RandomOperation {
  const message = randomMessage(random);
  const options = { ...maybeExpected(random, seq), ...maybeId(random) };
  return described("append", [message, options], (session) => session.append(message, options));
}

function batch(random: SeededRandom, seq: number): RandomOperation {
  const messages = randomMessages(random);
  const options = { ...maybeExpected(random, seq), ...maybeId(random) };
  return described("append", [messages, options], (session) => session.append(messages, options));
}

function note(random: SeededRandom, seq: number): RandomOperation {
  const data = { word: pick(random, WORDS), number: random.below(3) };
  const options = { ...maybeExpected(random, seq), ...maybeId(random) };
  const kind = pick(random, NOTE_KINDS);
  return described("note", [kind, data, options], (session) => session.note(kind, data, options));
}

function summary(random: SeededRandom, seq: number): RandomOperation {
  const text = pick(random, WORDS);
  const options = maybeExpected(random, seq);
  return described("setSummary", [text, options], (session) => session.setSummary(text, options));
}

function title(random: SeededRandom, seq: number): RandomOperation {
  const text = pick(random, WORDS);
  const options = maybeExpected(random, seq);
  return described("setTitle", [text, options], (session) => session.setTitle(text, options));
}

function tags(random: SeededRandom, seq: number): RandomOperation {
  const texts = Array.from({ length: random.below(3) }, () => pick(random, WORDS));
  const options = maybeExpected(random, seq);
  return described("setTags", [texts, options], (session) => session.setTags(texts, options));
}

function truncateLast(random: SeededRandom, seq: number): RandomOperation {
  const cut = { keepLast: random.below(seq + 2) };
  const options = maybeExpected(random, seq);
  return described("truncate", [cut, options], (session) => session.truncate(cut, options));
}

function truncateFrom(random: SeededRandom, seq: number): RandomOperation {
  const cut = { keepFrom: random.below(seq + 4) };
  const options = maybeExpected(random, seq);
  return described("truncate", [cut, options], (session) => session.truncate(cut, options));
}

function rewindMessages(random: SeededRandom, seq: number): RandomOperation {
  const cut = { messages: random.below(4) };
  const options = maybeExpected(random, seq);
  return described("rewind", [cut, options], (session) => session.rewind(cut, options));
}

function rewindTo(random: SeededRandom, seq: number): RandomOperation {
  const cut = { to: random.below(seq + 3) };
  const options = maybeExpected(random, seq);
  return described("rewind", [cut, options], (session) => session.rewind(cut, options));
}

function compact(random: SeededRandom, seq: number): RandomOperation {
  const cut = { summary: pick(random, WORDS), keepFrom: random.below(seq + 4) };
  const options = maybeExpected(random, seq);
  return described("compact", [cut, options], (session) => session.compact(cut, options));
}

/** Mostly one of the newest records: any other is refused. */
function undoCut(random: SeededRandom, seq: number): RandomOperation {
  const cut = Math.max(0, seq - random.below(4));
  const options = maybeExpected(random, seq);
  return described("undoCut", [cut, options], (session) => session.undoCut(cut, options));
}

function replace(random: SeededRandom, seq: number): RandomOperation {
  const messages = randomMessages(random);
  const given = random.below(2) === 0 ? {} : { summary: pick(random, WORDS) };
  const options = { ...maybeExpected(random, seq), ...given };
  return described("replace", [messages, options], (session) => session.replace(messages, options));
}

function randomMessage(random: SeededRandom): Message {
  const word = pick(random, WORDS);
  return random.below(3) === 0 ? { role: "assistant", content: [{ type: "text", text: word }] } : say(word);
}

function randomMessages(random: SeededRandom): Message[] {
  return Array.from({ length: random.below(4) }, () => randomMessage(random));
}

function maybeExpected(random: SeededRandom, seq: number): IdentifiedWriteOptions {
  const chance = random.below(10);
  if (chance === 0) return { expectedSeq: random.below(seq + 2) };
  return chance === 1 ? { expectedSeq: seq } : {};
}

function maybeId(random: SeededRandom): IdentifiedWriteOptions {
  return random.below(3) === 0 ? { id: pick(random, IDS) } : {};
}

function described(
  name: string,
  values: readonly unknown[],
  run: (session: Session) => Promise<unknown>,
): RandomOperation {
  return { description: `${name}(${values.map((value) => JSON.stringify(value)).join(", ")})`, run };
}

function pick<T>(random: SeededRandom, items: readonly T[]): T {
  const item = items[random.below(items.length)];
  if (item === undefined) throw new RangeError("there is nothing to pick from");
  return item;
}
