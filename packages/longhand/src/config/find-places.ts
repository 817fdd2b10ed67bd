/** The directories for a command line: the home, then the workspace, then what follows from both. */

import { chooseWorkspace, defaultWorkspace, type WorkspaceChoice } from "./choose-workspace.ts";
import type { PlaceOptions, Places } from "./places.ts";
import { resolveHome, userHomes, type HomeDeps } from "./resolve-home.ts";
import { resolvePlaces } from "./resolve-places.ts";

export interface FoundPlaces {
  readonly places: Places;
  readonly choice: WorkspaceChoice;
  /** The same with another workspace. */
  readonly placesWith: (choice: WorkspaceChoice) => Places;
  readonly defaultChoice: () => WorkspaceChoice;
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
  return { places: placesWith(choice), choice, placesWith, defaultChoice: () => defaultWorkspace(home.path) };
}
