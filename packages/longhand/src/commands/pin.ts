/** `longhand pin`: a message stays in sight of the model, also when its turn is cut or compacted. */

import type { SessionInfo, Store } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { textOf } from "../sessions/session-label.ts";
import { withSessionForWriting } from "../sessions/with-session.ts";
import { fitToWidth } from "../terminal/display-width.ts";
import { escapeKey, onOneLine } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { addExamples } from "./add-examples.ts";
import { addWaitOption } from "./add-wait-option.ts";
import { KEY_HELP } from "./key-help.ts";
import { parseCount } from "./parse-whole-number.ts";
import type { DefineCommand, JsonOption, Surroundings, WaitOption } from "./surroundings.ts";

const TEXT_WIDTH = 60;

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand pin last 12", "the model is always shown message 12"],
    ["longhand context last", "what the model sees, with the pins"],
  ]);
  addWaitOption(command)
    .argument("<key>", KEY_HELP)
    .argument("<seq>", "of the message; longhand show tells it", parseCount)
    .option("--json", "one JSON document: key, seq, and the seqs that are pinned now")
    .addHelpText("after", "\nAt most 100 are pinned. longhand unpin takes a pin away.")
    .action(async (key: string, seq: number, options: JsonOption & WaitOption) => {
      const surroundings = begin(options);
      await withSessionForWriting(surroundings, key, options.wait, async (store, info) =>
        pin(store, info, seq, surroundings),
      );
    });
};

export async function pin(
  store: Store,
  { key }: SessionInfo,
  seq: number,
  { output, json, toPaste }: Surroundings,
): Promise<void> {
  const { isLonghandError } = await import("@longhand/store");
  const { pinMessage, pins } = await import("@longhand/store/context");
  const session = store.session(key);
  const isOld = (await pins(session)).some((pinned) => pinned.seq === seq);
  await pinMessage(session, seq).catch((error: unknown) => {
    if (!isLonghandError(error, "OPTION_INVALID") || error.detail["option"] !== "seq") throw error;
    throw new CommandError("USAGE_INVALID", `#${seq} is no message of ${escapeKey(key)}`, {
      detail: { key, seq },
      remedy: `its messages, each with its seq: ${toPaste("show", key)}`,
      cause: error,
    });
  });
  const pinned = await pins(session);
  if (json) {
    output.write(jsonLine({ key, seq, pinned: pinned.map((each) => each.seq) }));
    return;
  }
  const shown = output.colors.cyan(escapeKey(key));
  const message = pinned.find((each) => each.seq === seq)?.message;
  if (message === undefined) {
    output.write(
      `Pinned in ${shown}: #${seq}. It was undone, so the model is shown it only when it is brought back.\n`,
    );
    return;
  }
  const words = fitToWidth(onOneLine(textOf(message)), TEXT_WIDTH);
  output.write(
    `${isOld ? "Was pinned before" : "Pinned"} in ${shown}: #${seq} “${words}”; ${countOf(pinned.length, "message")} pinned now.\n`,
  );
  output.write(output.colors.dim(`To take it away: ${toPaste("unpin", key)} ${seq}\n`));
}
