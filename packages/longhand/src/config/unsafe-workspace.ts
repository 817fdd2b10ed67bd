/**
 * Directories that are never a workspace. Tools may write everywhere in a workspace, so one that holds keys, start-up files of
 * shells or the system itself would hand those to a model. Pure; every path is a real one.
 */

import { dirname, join, sep } from "node:path";
import { DEFAULT_WORKSPACE } from "./workspace-state.ts";

/** With everything in them. */
const SYSTEM_TREES = [
  ...[
    "/etc",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/boot",
    "/dev",
    "/proc",
    "/sys",
    "/run",
  ],
  ...["bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "share", "include", "games"].map(
    (name) => `/usr/${name}`,
  ),
  ...["bin", "sbin", "lib", "etc"].map((name) => `/usr/local/${name}`),
  ...["/lost+found", "/System", "/private/etc"],
];

/** Only the directory itself: projects may lie in it. */
const SHARED = [
  ...[
    "/",
    "/usr",
    "/usr/local",
    "/usr/src",
    "/tmp",
    "/opt",
    "/srv",
    "/mnt",
    "/media",
    "/home",
    "/root",
    "/nix",
  ],
  ...["/var", "/var/tmp", "/var/lib", "/var/log", "/var/spool", "/var/cache"],
  ...["/Users", "/Library", "/Applications", "/Volumes", "/private", "/private/tmp", "/private/var"],
];

/** In the user's home, with everything in them: keys. */
const KEY_TREES = [".ssh", ".gnupg", ".aws"];

export interface WorkspaceBounds {
  /** Of the user. */
  readonly userHomes: readonly string[];
  /** Longhand's own. */
  readonly home: string;
}

/** Why `path` cannot be a workspace, as the end of a sentence that begins with the path. `undefined`: it can. */
export function unsafeWorkspace(path: string, { userHomes, home }: WorkspaceBounds): string | undefined {
  for (const own of userHomes) {
    if (path === own) return "is your home directory, with your keys and settings in it";
    if (KEY_TREES.some((name) => path === join(own, name) || isIn(path, join(own, name))))
      return "holds your keys";
    if (path === join(own, ".config")) return "holds the settings of your programs";
    if (isIn(own, path)) return "contains your home directory, with your keys and settings in it";
  }
  if (SHARED.includes(path) || SYSTEM_TREES.some((tree) => path === tree || isIn(path, tree))) {
    return "is a directory of the system";
  }
  if (path === home || (isIn(path, home) && !isOwnWorkspace(path, home))) {
    return "is Longhand's own directory";
  }
  return undefined;
}

/** `workspace` and `workspace-NAME` in the home, and what is in them. */
function isOwnWorkspace(path: string, home: string): boolean {
  let first = path;
  while (dirname(first) !== home) first = dirname(first);
  const name = first.slice(join(home, sep).length);
  return name === DEFAULT_WORKSPACE || name.startsWith(`${DEFAULT_WORKSPACE}-`);
}

function isIn(path: string, directory: string): boolean {
  return path !== directory && path.startsWith(join(directory, sep));
}
