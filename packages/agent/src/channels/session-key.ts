/**
 * Whose conversation it is, as the key of a session and back. Two places never have the same key, whatever is in their fields: the
 * fields are data, and what separates them is escaped in them. `telegram/account:shop/chat:-100/thread:7/from:42`
 */

import type { Scope } from "@longhand/store/memory";
import { AgentError } from "../errors.ts";
import { LOCAL_CHANNEL } from "../loop/local-scope.ts";

/** Where something was said, and by whom. Each field as the channel gives it; none is empty. */
export interface ChatPlace {
  readonly channel: string;
  /** Which of the own accounts in the channel; absent where there is only one. */
  readonly account?: string;
  readonly chat: string;
  readonly thread?: string;
  readonly sender: string;
}

/** Of the store: docs/format.md. */
const MOST_KEY_BYTES = 1024;

const KEY = /^([^/]+)(?:\/account:([^/]+))?\/chat:([^/]+)(?:\/thread:([^/]+))?\/from:([^/]+)$/;

/** OPTION_INVALID: a field is empty, or all of them together are too long for a key. */
export function sessionKeyOf(place: ChatPlace): string {
  const { channel, account, chat, thread, sender } = place;
  for (const [field, value] of Object.entries({ channel, account, chat, thread, sender })) {
    if (value === "") throw new AgentError("OPTION_INVALID", `${field} must not be empty`, { field });
  }
  const key = joined(place);
  const bytes = Buffer.byteLength(key);
  if (bytes <= MOST_KEY_BYTES) return key;
  const message = `channel, account, chat, thread and sender have ${bytes} bytes together, as a key; ${MOST_KEY_BYTES} are the most`;
  throw new AgentError("OPTION_INVALID", message, { bytes, limit: MOST_KEY_BYTES });
}

/**
 * Whose memory it is: a sender's in a channel. No two places have the same, and none has that of who sits at this machine
 * (`localScope`), whatever they call themselves.
 */
export function scopeOfPlace(agent: string, { channel, account, sender }: ChatPlace): Scope {
  const isPlain = account === undefined && channel !== LOCAL_CHANNEL && !channel.startsWith("[");
  const where = isPlain ? channel : JSON.stringify([channel, ...(account === undefined ? [] : [account])]);
  return { agent, channel: where, user: sender };
}

/** `undefined`: sessionKeyOf makes no such key, so the session is of no channel. */
export function placeOfKey(key: string): ChatPlace | undefined {
  const [, channel, account, chat, thread, sender] = KEY.exec(key) ?? [];
  if (channel === undefined || chat === undefined || sender === undefined) return undefined;
  const place: ChatPlace = {
    channel: unescaped(channel),
    ...(account === undefined ? {} : { account: unescaped(account) }),
    chat: unescaped(chat),
    ...(thread === undefined ? {} : { thread: unescaped(thread) }),
    sender: unescaped(sender),
  };
  // Somebody may have chosen a key by hand that only looks like one of ours.
  return joined(place) === key ? place : undefined;
}

function joined({ channel, account, chat, thread, sender }: ChatPlace): string {
  return [
    escaped(channel),
    ...(account === undefined ? [] : [`account:${escaped(account)}`]),
    `chat:${escaped(chat)}`,
    ...(thread === undefined ? [] : [`thread:${escaped(thread)}`]),
    `from:${escaped(sender)}`,
  ].join("/");
}

/** The separator, the escape itself, controls (NUL is refused by the store), and halves of surrogate pairs, which are no UTF-8. */
function escaped(value: string): string {
  return value.replace(/[%/\u0000-\u001f\u007f]|\p{Surrogate}/gu, (character) => {
    const code = character.charCodeAt(0).toString(16);
    return code.length > 2 ? `%u${code}` : `%${code.padStart(2, "0")}`;
  });
}

function unescaped(value: string): string {
  return value.replace(/%(?:u([0-9a-f]{4})|([0-9a-f]{2}))/g, (_, long?: string, short?: string) =>
    String.fromCharCode(Number.parseInt(long ?? short ?? "", 16)),
  );
}
