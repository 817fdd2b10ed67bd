/** From the options and the chosen workspace to every directory a command works with. Pure: nothing is read or created. */

import { join, resolve } from "node:path";
import type { WorkspaceChoice } from "./choose-workspace.ts";
import type { Place, PlaceOptions, Places, WorkspacePlace } from "./places.ts";
import { DEFAULT_WORKSPACE, workspaceState } from "./workspace-state.ts";

export function resolvePlaces(
  options: PlaceOptions,
  home: Place,
  choice: WorkspaceChoice,
  currentDirectory: string,
): Places {
  const workspace = workspacePlace(home, choice);
  const given = (path: string, why: string): Place => ({
    path: resolve(currentDirectory, path),
    source: "option",
    why,
  });
  const kept = (name: "sessions" | "memory"): Place => {
    const option = options[name];
    if (option !== undefined) return given(option, `--${name}`);
    // Its directory is Longhand's own, so what an older version left there is used until it is moved.
    if (choice.by === "default" && choice.older.includes(name)) {
      return { path: join(workspace.path, name), source: "older", why: "left here by an older version" };
    }
    const where = choice.by === "default" ? "home" : "home, for this workspace";
    return { path: join(workspace.state, name), source: "default", why: `${name}/ in the ${where}` };
  };
  return { home, workspace, sessions: kept("sessions"), memory: kept("memory") };
}

function workspacePlace(home: Place, choice: WorkspaceChoice): WorkspacePlace {
  switch (choice.by) {
    case "default": {
      const path = join(home.path, DEFAULT_WORKSPACE);
      const why = "the default workspace";
      return { path, real: choice.real, state: home.path, source: "default", why };
    }
    case "option":
    case "current": {
      const { by, path, real } = choice;
      const why = by === "option" ? "--workspace" : "the current directory, approved";
      return { path, real, state: workspaceState(home.path, real), source: by, why };
    }
  }
}
