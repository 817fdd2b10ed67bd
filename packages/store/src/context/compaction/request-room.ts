/** Whether the view fits into a request, asked where the answer is known: at what builds the request. */

import { isLonghandError } from "../../errors.ts";
import type { Session } from "../../store/types.ts";
import type { ContextOptions } from "../types.ts";
import { buildContext } from "../window/build-context.ts";

/** As `buildContext` takes them, but for the name of the first. */
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
    return { isTooSmall: omitted !== undefined, tokens: summary + turns + free };
  } catch (error) {
    // Not even the current turn fits, with nothing beside it: a summary of the earlier ones cannot help.
    if (isLonghandError(error, "OPTION_INVALID"))
      return { isTooSmall: false, tokens: maxContextTokens ?? 32_000 };
    throw error;
  }
}
