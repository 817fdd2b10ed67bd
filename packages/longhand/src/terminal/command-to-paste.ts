/** Commands that are printed to be pasted. They repeat where to look: without it they would act on another store. */

import type { Environment } from "./process-output.ts";
import { keyInCommand, shellQuote } from "./shell-quote.ts";

/**
 * `toPaste("undo --to 6", key)` is `longhand undo --to 6 --sessions ./mine KEY`. `elsewhere` replaces the directories that the
 * running command was given.
 */
export type ToPaste = (words: string, key?: string, elsewhere?: GivenPlaces) => string;

export interface GivenPlaces {
  readonly home?: string;
  readonly workspace?: string;
  readonly sessions?: string;
  readonly memory?: string;
}

const PLACES = ["home", "workspace", "sessions", "memory"] as const;

export function commandToPaste(given: GivenPlaces, program = "longhand"): ToPaste {
  return (words, key, elsewhere = {}) => {
    const places = PLACES.flatMap((name) => {
      const path = elsewhere[name] ?? given[name];
      return path === undefined ? [] : [`--${name} ${shellQuote(path)}`];
    });
    return [program, words, ...places, ...(key === undefined ? [] : [keyInCommand(key)])].join(" ");
  };
}

/** For another store than that of the command. A command that leads elsewhere by itself does not lead there. */
export function inStore(toPaste: ToPaste, sessions: string): ToPaste {
  return (words, key, elsewhere = { sessions }) => toPaste(words, key, elsewhere);
}

/** A command without options; one that has some, or was started by npx, is whole. */
const NAMED_COMMAND = /(?<![\w./~-]|npx )longhand (verify|repair|doctor)(?![\w-]| -)/g;

/** What the store and the agents say names commands too, but they do not know the options that this one was given. */
export function completeCommands(text: string, toPaste: ToPaste): string {
  return text.replace(NAMED_COMMAND, (_, words: string) => toPaste(words));
}

/** Started by npm or npx, `longhand` alone is often not on the PATH of the shell. */
export function programName(environment: Environment): string {
  const isByNpm = (environment["npm_lifecycle_event"] ?? "") !== "" || environment["npm_command"] === "exec";
  return isByNpm ? "npx longhand" : "longhand";
}
