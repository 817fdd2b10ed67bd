/** Of a window without room for the conversation: the same in the words of the command line, with numbers that do fit. */

import { isLonghandError, type Session } from "@longhand/store";
import type { ContextOptions } from "@longhand/store/context";
import { CommandError } from "../command-error.ts";
import { escapeKey } from "../terminal/escape-controls.ts";

/** What the newest turn may need when it is shortened as far as it goes. */
const ROOMS = [100, 400, 1600, 6400];

/** Gives back any other error as it is. */
export async function contextWithoutRoom(
  error: unknown,
  session: Session,
  options: ContextOptions,
): Promise<unknown> {
  if (!isLonghandError(error, "OPTION_INVALID")) return error;
  const { maxTokens, reserve, system } = error.detail;
  if (typeof maxTokens !== "number" || typeof reserve !== "number") return error;
  const taken = tokensIn(system);
  const { maxBytes } = options;
  const parts = [
    `--max-tokens ${maxTokens}`,
    `--reserve ${reserve} of them for the answer`,
    ...(taken === 0 ? [] : [`${taken} for its system messages`]),
    ...(maxBytes === undefined ? [] : [`--max-bytes ${maxBytes}`]),
  ];
  const fitting = await whatFits(session, options, { maxTokens, reserve, taken });
  return new CommandError(
    "USAGE_INVALID",
    `there is no room for the conversation ${escapeKey(session.key)}: ${parts.join(", ")}`,
    {
      detail: { key: session.key, maxTokens, reserve, ...(maxBytes === undefined ? {} : { maxBytes }) },
      ...(fitting.length === 0 ? {} : { remedy: `what would fit: ${fitting.join(", or ")}` }),
      cause: error,
    },
  );
}

/** Each is tried before it is told. */
async function whatFits(
  session: Session,
  options: ContextOptions,
  { maxTokens, reserve, taken }: { maxTokens: number; reserve: number; taken: number },
): Promise<string[]> {
  const fitting: string[] = [];
  const lessReserve = Math.min(4096, Math.floor(maxTokens / 4));
  if (lessReserve < reserve && (await fits(session, { ...options, reserve: lessReserve })))
    fitting.push(`--reserve ${lessReserve}`);
  const base = taken + (options.reserve ?? 0);
  for (const room of ROOMS) {
    const more = Math.ceil((base + room) / 100) * 100;
    if (more <= maxTokens || !(await fits(session, { ...options, maxTokens: more }))) continue;
    fitting.push(`--max-tokens ${more}`);
    break;
  }
  const { maxBytes, ...withoutBytes } = options;
  if (maxBytes !== undefined && (await fits(session, withoutBytes))) fitting.push("no --max-bytes");
  return fitting;
}

async function fits(session: Session, options: ContextOptions): Promise<boolean> {
  const { buildContext } = await import("@longhand/store/context");
  try {
    await buildContext(session, options);
    return true;
  } catch (error) {
    if (isLonghandError(error, "OPTION_INVALID")) return false;
    throw error;
  }
}

function tokensIn(size: unknown): number {
  if (typeof size !== "object" || size === null || !("tokens" in size)) return 0;
  return typeof size.tokens === "number" ? size.tokens : 0;
}
