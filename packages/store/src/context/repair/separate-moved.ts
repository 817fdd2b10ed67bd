import { withoutJoin } from "../../messages/foreign.ts";
import type { Message } from "../../format/message.ts";
import type { LoggedMessage } from "../turns.ts";

/** A message that stood behind another one in the history is not joined to the one before it now (`foreign.joined`). */
export function separateMoved<M extends Message>(
  history: readonly LoggedMessage<M>[],
  repaired: readonly LoggedMessage<M>[],
): LoggedMessage<M>[] {
  const before = new Map(history.map(({ seq }, index) => [seq, history[index - 1]?.seq]));
  return repaired.map((logged, index) => {
    if (before.get(logged.seq) === repaired[index - 1]?.seq) return logged;
    const message = withoutJoin(logged.message);
    return message === logged.message ? logged : { ...logged, message };
  });
}
