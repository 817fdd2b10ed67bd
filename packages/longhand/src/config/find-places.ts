/** The directories for a command line: the home, then the workspace, then what follows from both. */

import { join } from "node:path";
import { chooseWorkspace, defaultWorkspace, type WorkspaceChoice } from "./choose-workspace.ts";
import type { PlaceOptions, Places } from "./places.ts";
import { resolveHome, userHomes, type HomeDeps } from "./resolve-home.ts";
import { resolvePlaces } from "./resolve-places.ts";
import { readRecord, WORKSPACE_FILE } from "./workspace-record.ts";
import { workspaceState } from "./workspace-state.ts";

export interface FoundPlaces {
  readonly places: Places;
  readonly choice: WorkspaceChoice;
  /** The same with another workspace. */
  readonly placesWith: (choice: WorkspaceChoice) => Places;
  readonly defaultChoice: () => WorkspaceChoice;
  /** Workspaces whose record cannot be read: the one that is used, and the current directory. */
  readonly damaged: readonly { readonly file: string; readonly workspace: string }[];
}

export function findPlaces(options: PlaceOptions, deps: HomeDeps): FoundPlaces {
  const { currentDirectory } = deps;
  const home = resolveHome(options.home, deps);
  const choice = chooseWorkspace(options.workspace, {
    home: home.path,
    userHomes: userHomes(deps),
    currentDirectory,
  });
  const placesWith = (other: WorkspaceChoice): Places =>
    resolvePlaces(options, home, other, currentDirectory);
  const places = placesWith(choice);
  const defaultChoice = (): WorkspaceChoice => defaultWorkspace(home.path);
  return { places, choice, placesWith, defaultChoice, damaged: findDamaged(places, choice) };
}

function findDamaged({ home, workspace }: Places, choice: WorkspaceChoice): FoundPlaces["damaged"] {
  const current = choice.by === "default" && choice.current.state === "unapproved" ? [choice.current] : [];
  return [
    { path: workspace.path, state: workspace.state },
    ...current.map(({ path, real }) => ({ path, state: workspaceState(home.path, real) })),
  ]
    .filter(({ state }) => readRecord(state) === "damaged")
    .map(({ path, state }) => ({ file: join(state, WORKSPACE_FILE), workspace: path }));
}
