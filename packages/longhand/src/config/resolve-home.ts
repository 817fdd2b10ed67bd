/** Where Longhand's own directory is, and why there: the option, then the environment, then the default. Pure. */

import { isAbsolute, join, resolve } from "node:path";
import type { Place } from "./places.ts";

export interface HomeDeps {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly currentDirectory: string;
  readonly temporaryDirectory: string;
  /** The home directory that the system has for this account; throws where it has none. */
  accountHome(): string;
}

export function resolveHome(option: string | undefined, deps: HomeDeps): Place {
  const { environment, currentDirectory, temporaryDirectory } = deps;
  if (option !== undefined) {
    return { path: resolve(currentDirectory, option), source: "option", why: "--home" };
  }
  const named = environment["LONGHAND_HOME"];
  if (named !== undefined && named !== "") {
    return { path: resolve(currentDirectory, named), source: "environment", why: "LONGHAND_HOME" };
  }
  const home = environment["HOME"];
  // A relative home would put things into whatever the current directory is.
  if (home !== undefined && isAbsolute(home)) {
    return { path: join(home, ".longhand"), source: "default", why: "~/.longhand, the default" };
  }
  const account = accountHome(deps);
  if (account !== undefined) {
    return {
      path: join(account, ".longhand"),
      source: "account",
      why: "~/.longhand, the default (HOME is not set; the account's own home)",
    };
  }
  return {
    path: join(temporaryDirectory, "longhand"),
    source: "temporary",
    why: "the temporary directory, since there is no home directory; set HOME or LONGHAND_HOME",
  };
}

/** The user's home directories: HOME, and the one of the account, which HOME may hide. */
export function userHomes(deps: Pick<HomeDeps, "environment" | "accountHome">): readonly string[] {
  const home = deps.environment["HOME"];
  const account = accountHome(deps);
  return [
    ...(home !== undefined && isAbsolute(home) ? [home] : []),
    ...(account === undefined ? [] : [account]),
  ];
}

function accountHome(deps: Pick<HomeDeps, "accountHome">): string | undefined {
  try {
    const home = deps.accountHome();
    return isAbsolute(home) ? home : undefined;
  } catch {
    return undefined;
  }
}
