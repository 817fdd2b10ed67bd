/** Whether the view fits into a request. `buildContext` builds that request, so its result is the answer. */

import { isLonghandError } from "../../errors.ts";
import type { Session } from "../../contract/types.ts";
import type { ContextOptions } from "../types.ts";
import { buildContext, type NoRoomFor } from "../window/build-context.ts";

/** The options of `buildContext`; `maxTokens` has another name here. */
export interface RequestLimits extends Omit<ContextOptions, "maxTokens" | "maxBytes"> {
  readonly maxContextTokens?: number;
}

export interface RequestRoom {
  /** Turns of the view are neither shown nor summarised. */
  readonly isTooSmall: boolean;
  /** For summary, pins and turns. */
  readonly tokens: number;
}

export async function requestRoom(session: Session, options: RequestLimits): Promise<RequestRoom> {
  const { maxContextTokens, reserve, system, tools, model, estimator } = options;
  const request: ContextOptions = {
    ...(maxContextTokens === undefined ? {} : { maxTokens: maxContextTokens }),
    ...(reserve === undefined ? {} : { reserve }),
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
    ...(model === undefined ? {} : { model }),
    ...(estimator === undefined ? {} : { estimator }),
  };
  try {
    const { usage, omitted } = await buildContext(session, request);
    const { summary, turns, free } = usage;
    return { isTooSmall: (omitted?.unfit ?? 0) > 0, tokens: summary + turns + free };
  } catch (error) {
    const tokens = roomBesideCurrentTurn(error);
    // A summary of the earlier turns cannot help.
    if (tokens !== undefined) return { isTooSmall: false, tokens };
    throw error;
  }
}

/** `undefined`: the error is another one than "the current turn does not fit". */
function roomBesideCurrentTurn(error: unknown): number | undefined {
  if (!isLonghandError(error, "OPTION_INVALID")) return undefined;
  const currentTurn: NoRoomFor = "current-turn";
  const { noRoomFor, roomTokens } = error.detail;
  return noRoomFor === currentTurn && typeof roomTokens === "number" ? roomTokens : undefined;
}
