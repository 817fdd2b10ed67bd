/**
 * The messages that every workload writes: generated from the numbers of session and message alone, so that no two
 * runs differ and a check can make them again. docs/performance.md has the mix.
 */

/** The neutral form. A candidate converts it to its own form before, and back after, the timing. */
export interface BenchMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly content: string;
  readonly created_at: string;
  readonly tool_calls?: readonly BenchToolCall[];
  readonly tool_call_id?: string;
}

export interface BenchToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text, as models write it. */
  readonly arguments: string;
}

/** Stands in message 5 of every session whose number mod 100 is 7. */
export const RARE_WORD = "zanzibar";
const RARE_WORD_MESSAGE = 5;
export const hasRareWord = (session: number): boolean => session % 100 === 7;

export const TOOL_NAME = "read_file";

const WORDS = (
  "the of and to in is that for it as with was on be by this are from or an have which file error test build " +
  "session message store agent model token context answer question result search index append read write open " +
  "close lock lease journal record segment value number string object array function module package version " +
  "branch commit deploy tool user"
).split(" ");
const WORDS_PER_LINE = 12;
const ONE_QUOTED_IN = 37;

const FIRST_TIME = Date.UTC(2026, 0, 1);
const SESSION_STEP_MS = 60_000;
const MESSAGE_STEP_MS = 1000;

export function sessionKey(session: number): string {
  return `agent-main-chat-${String(session).padStart(6, "0")}`;
}

export function sessionNumber(key: string): number {
  return Number(key.slice(key.lastIndexOf("-") + 1));
}

export function sessionTitle(session: number): string {
  return `Chat number ${session}`;
}

export function messageAt(session: number, index: number): BenchMessage {
  const random = randomFrom(session, index);
  const created_at = new Date(FIRST_TIME + session * SESSION_STEP_MS + index * MESSAGE_STEP_MS).toISOString();
  const rare = hasRareWord(session) && index === RARE_WORD_MESSAGE ? `${RARE_WORD} ` : "";
  switch (index % 4) {
    case 0:
      return { role: "user", content: textOf(200, random, rare, " "), created_at };
    case 1: {
      const call = {
        id: `call_${session}_${index}`,
        name: TOOL_NAME,
        arguments: JSON.stringify({ path: `src/${pick(random)}/${pick(random)}.ts`, limit: index }),
      };
      return { role: "assistant", content: textOf(1300, random, rare, "\n"), created_at, tool_calls: [call] };
    }
    case 2:
      return {
        role: "tool",
        content: textOf(3900, random, rare, "\n"),
        created_at,
        tool_call_id: `call_${session}_${index - 1}`,
      };
    default:
      return { role: "assistant", content: textOf(1450, random, rare, "\n"), created_at };
  }
}

export function messagesOf(session: number, from: number, count: number): BenchMessage[] {
  return Array.from({ length: count }, (_, index) => messageAt(session, from + index));
}

function textOf(bytes: number, random: () => number, beginning: string, lineBreak: string): string {
  let text = beginning;
  for (let words = 1; text.length < bytes; words += 1) {
    const word = pick(random);
    const separator = words % WORDS_PER_LINE === 0 ? lineBreak : " ";
    text += (random() % ONE_QUOTED_IN === 0 ? `"${word}"` : word) + separator;
  }
  return text.slice(0, bytes);
}

function pick(random: () => number): string {
  return WORDS[random() % WORDS.length] ?? "";
}

/** xorshift32, which is enough for words. */
function randomFrom(session: number, index: number): () => number {
  let state = (Math.imul(session + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
}
