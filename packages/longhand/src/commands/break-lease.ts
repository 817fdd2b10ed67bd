/**
 * `longhand doctor --break-lease KEY`: for a session held by a process whose end nobody can prove, such as one in another
 * container or on another machine. The person who says so is believed; a process that is proven to run is never robbed.
 */

import type { StoreOwner } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { confirm } from "../terminal/confirm.ts";
import { describeOwner } from "../terminal/describe-owner.ts";
import { escapeKey, escapeLine } from "../terminal/escape-controls.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { shellQuote } from "../terminal/shell-quote.ts";
import type { Surroundings } from "./surroundings.ts";

/** Of the store; handed in, so that tests can have a process that cannot be judged. */
export interface LeaseDoor {
  findOwnerOf(directory: string, key: string): Promise<StoreOwner | undefined>;
  /** From now on the instance counts as dead: should it live after all, it answers nobody any more. */
  declareDead(directory: string, instance: string): Promise<void>;
}

export async function breakLease(
  key: string,
  yes: boolean,
  surroundings: Surroundings,
  door: LeaseDoor,
): Promise<void> {
  const { output, places, json, toPaste } = surroundings;
  const { path } = places.sessions;
  const holder = await door.findOwnerOf(path, key);
  const shown = escapeKey(key);
  if (holder === undefined || holder.liveness === "dead") {
    if (json) output.write(jsonLine({ key, broken: false, holder: holder ?? null }));
    else output.write(`Nobody has to be waited for: ${shown} can be written to.\n`);
    return;
  }
  const owner = escapeLine(describeOwner(holder));
  if (holder.liveness === "alive") {
    throw new CommandError(
      "LEASE_IN_USE",
      `${shown} is held by ${owner}, which is running; nothing was changed`,
      {
        detail: { key, holder },
        ...(holder.pid === undefined ? {} : { remedy: `stop that process: kill ${holder.pid}` }),
      },
    );
  }
  await confirm(surroundings, {
    question: `${shown} is held by ${owner}. Are you sure that this process has ended? All it holds will be taken over.`,
    yes,
    command: toPaste(`doctor --yes --break-lease ${shellQuote(key)}`),
  });
  await door.declareDead(path, holder.instance);
  if (json) output.write(jsonLine({ key, broken: true, holder }));
  else
    output.write(
      `Broken. Whoever writes next takes over what ${owner} left; nothing acknowledged is lost.\n`,
    );
}
