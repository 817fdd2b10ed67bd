/** `--wait`, the same for every command that writes to one session. */

import { type Command, InvalidArgumentError } from "commander";

/** As long as the store itself waits in line. */
const DEFAULT_SECONDS = 10;

export function addWaitOption(command: Command): Command {
  return command.option(
    "--wait <seconds>",
    "how long to wait in line while another process writes to the session; 0: not at all",
    parseSeconds,
    DEFAULT_SECONDS,
  );
}

function parseSeconds(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a number of seconds, such as 10 or 0.5.");
}
