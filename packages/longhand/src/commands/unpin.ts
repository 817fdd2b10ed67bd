/** `longhand unpin`: a message is shown to the model only as long as its turn is. The message itself stays. */

import type { SessionInfo, Store } from "@longhand/store";
import { withSessionForWriting } from "../sessions/with-session.ts";
import { escapeKey } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { addExamples } from "./add-examples.ts";
import { addWaitOption } from "./add-wait-option.ts";
import { KEY_HELP } from "./key-help.ts";
import { parseCount } from "./parse-whole-number.ts";
import type { DefineCommand, JsonOption, Surroundings, WaitOption } from "./surroundings.ts";

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [["longhand unpin last 12", "message 12 is not kept in sight any more"]]);
  addWaitOption(command)
    .argument("<key>", KEY_HELP)
    .argument("<seq>", "of the message; longhand show marks those that are pinned", parseCount)
    .option("--json", "one JSON document: key, seq, and the seqs that are still pinned")
    .action(async (key: string, seq: number, options: JsonOption & WaitOption) => {
      const surroundings = begin(options);
      await withSessionForWriting(surroundings, key, options.wait, async (store, info) =>
        unpin(store, info, seq, surroundings),
      );
    });
};

export async function unpin(
  store: Store,
  info: SessionInfo,
  seq: number,
  { output, json }: Surroundings,
): Promise<void> {
  const { pins, unpinMessage } = await import("@longhand/store/context");
  const { key } = info;
  const session = store.session(key);
  await unpinMessage(session, seq);
  // Only a change is written, also of a pin that is not shown.
  const wasPinned = ((await session.state())?.seq ?? 0) > info.seq;
  const pinned = await pins(session);
  if (json) {
    output.write(jsonLine({ key, seq, pinned: pinned.map((each) => each.seq) }));
    return;
  }
  const shown = output.colors.cyan(escapeKey(key));
  output.write(
    wasPinned
      ? `Not pinned any more in ${shown}: #${seq}; ${countOf(pinned.length, "message")} pinned now.\n`
      : `#${seq} of ${shown} was not pinned; nothing was done.\n`,
  );
}
