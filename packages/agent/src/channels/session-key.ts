/**
 * Whose conversation it is, as the key of a session and back. Two places never have the same key, whatever is in their fields: the
 * fields are data, and what separates them is escaped in them. `telegram/account:shop/chat:-100/thread:7/from:42`
 */

import { createHash } from "node:crypto";
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
  /** Who hears what is said there. Not part of the key. @default "private" where the chat is the sender, else "group" */
  readonly kind?: ChatKind;
}

export type ChatKind = "private" | "group";

/** Of the store: docs/format.md. */
const MOST_KEY_BYTES = 1024;

/** Longer ones become a hash: the names in a scope have at most 1,000 bytes. */
const MOST_GROUP_CODE_BYTES = 300;

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

/** The safe side where the channel does not say: what is told in private must not be heard in a group. */
export function kindOfPlace({ kind, chat, sender }: ChatPlace): ChatKind {
  return kind ?? (chat === sender ? "private" : "group");
}

/**
 * Whose memory it is: in a private chat that of the sender in the channel, in a group that of the sender in that group. Neither is
 * visible from the other. No two places share one, and none has that of the owner of this machine (`localScope`), whatever their
 * names are.
 */
export function scopeOfPlace(agent: string, place: ChatPlace): Scope {
  const { channel, account, chat, sender } = place;
  if (kindOfPlace(place) === "group")
    return { agent, channel: groupCode(channel, account, chat), user: sender };
  const isPlain = account === undefined && channel !== LOCAL_CHANNEL && !channel.startsWith("[");
  const where = isPlain ? channel : JSON.stringify([channel, ...(account === undefined ? [] : [account])]);
  return { agent, channel: where, user: sender };
}

/** Three or four items: the codes of private chats have one or two. */
function groupCode(channel: string, account: string | undefined, chat: string): string {
  const code = JSON.stringify([channel, account ?? null, chat]);
  if (Buffer.byteLength(code) <= MOST_GROUP_CODE_BYTES) return code;
  return JSON.stringify([null, "group", "sha256", createHash("sha256").update(code).digest("hex")]);
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
