/**
 * Where Longhand keeps things, and why there: the command line first, then the environment, then the default. Pure:
 * nothing is read from disk and nothing is created.
 */

import { isAbsolute, join, resolve } from "node:path";

export interface Place {
  readonly path: string;
  readonly source: "option" | "environment" | "default" | "account" | "temporary";
  /** For a person: what decided it. */
  readonly why: string;
}

export interface Places {
  readonly home: Place;
  readonly workspace: Place;
  readonly sessions: Place;
  readonly memory: Place;
}

export interface PlaceOptions {
  readonly home?: string;
  readonly workspace?: string;
  readonly sessions?: string;
  readonly memory?: string;
}

export interface PlaceSurroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly currentDirectory: string;
  readonly temporaryDirectory: string;
  /** The home directory that the system has for this account; throws where it has none. */
  accountHome(): string;
}

export function resolvePlaces(options: PlaceOptions, surroundings: PlaceSurroundings): Places {
  const given = (path: string, option: string): Place => ({
    path: resolve(surroundings.currentDirectory, path),
    source: "option",
    why: option,
  });
  const within = (parent: Place, name: string, of: string): Place => ({
    path: join(parent.path, name),
    source: "default",
    why: `${name}/ in the ${of}`,
  });
  const home = options.home === undefined ? homeWithoutOption(surroundings) : given(options.home, "--home");
  const workspace =
    options.workspace === undefined
      ? within(home, "workspace", "home")
      : given(options.workspace, "--workspace");
  const sessions =
    options.sessions === undefined
      ? within(workspace, "sessions", "workspace")
      : given(options.sessions, "--sessions");
  const memory =
    options.memory === undefined
      ? within(workspace, "memory", "workspace")
      : given(options.memory, "--memory");
  return { home, workspace, sessions, memory };
}

function homeWithoutOption(surroundings: PlaceSurroundings): Place {
  const { environment, currentDirectory, temporaryDirectory } = surroundings;
  const named = environment["LONGHAND_HOME"];
  if (named !== undefined && named !== "") {
    return { path: resolve(currentDirectory, named), source: "environment", why: "LONGHAND_HOME" };
  }
  const home = environment["HOME"];
  // A home that is no absolute path would put things into whatever directory one happens to be in.
  if (home !== undefined && isAbsolute(home)) {
    return {
      path: join(home, ".longhand"),
      source: "default",
      why: "~/.longhand, the default",
    };
  }
  const account = accountHome(surroundings);
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

function accountHome(surroundings: PlaceSurroundings): string | undefined {
  try {
    const home = surroundings.accountHome();
    return isAbsolute(home) ? home : undefined;
  } catch {
    return undefined;
  }
}
