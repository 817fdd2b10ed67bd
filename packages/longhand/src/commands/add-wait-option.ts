/** `--wait`, the same for every command that writes. */

import { type Command, InvalidArgumentError } from "commander";

/** An agent or another command is often done by then. */
const DEFAULT_SECONDS = 3;

export function addWaitOption(command: Command): Command {
  return command.option(
    "--wait <seconds>",
    "how long to wait while another process has the store open for writing; 0: not at all",
    parseSeconds,
    DEFAULT_SECONDS,
  );
}

function parseSeconds(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a number of seconds, such as 10 or 0.5.");
}
