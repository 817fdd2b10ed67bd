/** For a usage bar: the numbers of the context as it would be built now. They add up to maxTokens. */

import type { Message } from "../../format/message.ts";
import type { Session } from "../../contract/types.ts";
import { buildContext } from "./build-context.ts";
import { contextSettings } from "../context-settings.ts";
import type { ContextOptions, ContextUsage } from "../types.ts";

export async function contextUsage<M extends Message>(
  session: Session<M>,
  options?: ContextOptions,
): Promise<ContextUsage> {
  contextSettings("contextUsage", options);
  const { usage } = await buildContext(session, options);
  return usage;
}
