/** One line of input, checked: nothing of a line that is wrong is used. */

import * as z from "zod";
import { tryParseJson } from "../parse-json.ts";
import type { Said } from "../turn/types.ts";
import { kindOfPlace, sessionKeyOf, type ChatPlace } from "./session-key.ts";

export const MOST_LINE_BYTES: number = 1024 * 1024;

const schema = z.strictObject({
  channel: z.string().min(1),
  account: z.string().min(1).optional(),
  chat: z.string().min(1),
  thread: z.string().min(1).optional(),
  sender: z.string().min(1),
  /** Who hears it. Without it a chat whose name is the sender's is private, any other a group. */
  kind: z.enum(["private", "group"]).optional(),
  text: z.string().min(1),
  /** Of the message, where the channel has one: saying it twice is safe then. */
  id: z.string().min(1).optional(),
  agent: z.string().min(1).optional(),
  whenBusy: z.enum(["wait", "steer", "cancel"]).optional(),
});

export interface LineIn {
  readonly key: string;
  readonly place: ChatPlace;
  readonly said: Said;
  readonly agent: string | undefined;
  readonly whenBusy: "wait" | "steer" | "cancel";
}

/** Throws an Error that says what is wrong with it. */
export function parseLine(text: string): LineIn {
  const bytes = Buffer.byteLength(text);
  if (bytes > MOST_LINE_BYTES)
    throw new Error(`the line has ${bytes} bytes; ${MOST_LINE_BYTES} are the most`);
  const json = tryParseJson(text);
  if (json === undefined) throw new Error("the line is no JSON");
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw new Error(parsed.error.issues.map((issue) => explain(issue, json)).join("; "));
  const {
    channel,
    account,
    chat,
    thread,
    sender,
    kind,
    text: words,
    id,
    agent,
    whenBusy = "wait",
  } = parsed.data;
  const place: ChatPlace = {
    channel,
    ...(account === undefined ? {} : { account }),
    chat,
    ...(thread === undefined ? {} : { thread }),
    sender,
    ...(kind === undefined ? {} : { kind }),
  };
  const said: Said = {
    text: words,
    // In a group the model must know who speaks.
    ...(kindOfPlace(place) === "private" ? {} : { name: sender }),
    ...(id === undefined ? {} : { id }),
  };
  return { key: sessionKeyOf(place), place, said, agent, whenBusy };
}

function explain(issue: z.core.$ZodIssue, line: unknown): string {
  const name = issue.path.join(".");
  if (issue.code === "unrecognized_keys") return `there is no field ${issue.keys.join(", ")}`;
  if (name === "") return "the line must be an object";
  if (issue.code === "too_small") return `${name} is empty`;
  if (issue.code === "invalid_value") return `${name} must be one of ${issue.values.map(String).join(", ")}`;
  if (issue.code !== "invalid_type") return `${name}: ${issue.message}`;
  const isMissing = typeof line === "object" && line !== null && !Object.hasOwn(line, name);
  return isMissing ? `${name} is missing` : `${name} must be text`;
}
