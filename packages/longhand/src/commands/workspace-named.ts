/** The directory that a command of `longhand workspace` names, checked as --workspace is. */

import { userInfo } from "node:os";
import { chooseWorkspace } from "../config/choose-workspace.ts";
import { userHomes } from "../config/resolve-home.ts";
import { workspaceState } from "../config/workspace-state.ts";
import type { Surroundings } from "./surroundings.ts";

export interface NamedWorkspace {
  readonly path: string;
  readonly real: string;
  readonly state: string;
}

export function chooseNamed(
  directory: string,
  { places, environment, currentDirectory }: Surroundings,
): NamedWorkspace {
  const home = places.home.path;
  const choice = chooseWorkspace(directory, {
    home,
    userHomes: userHomes({ environment, accountHome: () => userInfo().homedir }),
    currentDirectory,
  });
  if (choice.by === "default") return { path: choice.real, real: choice.real, state: home };
  return { path: choice.path, real: choice.real, state: workspaceState(home, choice.real) };
}
