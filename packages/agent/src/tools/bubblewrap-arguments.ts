/**
 * What a command sees and may do, as the arguments of bubblewrap. The root is empty and read-only, and only what is listed is put
 * in it: programs and libraries, a few files of /etc, an own /tmp, /dev, /proc and home, and the workspace. So homes, sockets
 * in /run, keys in /etc and other people's files are not hidden one by one: they are not there.
 */

import { isWithin } from "./protected-paths.ts";
import type { ProtectedMount } from "./prepare-workspace.ts";

export interface Machine {
  /** Of /bin and its like: a link into /usr, or a directory of its own. */
  readonly roots: readonly { readonly path: string; readonly linkTo: string | undefined }[];
  /** Options that not every version has. */
  readonly has: (option: string) => boolean;
  readonly isRoot: boolean;
  /** The program that runs us, so that there is a Node.js in the sandbox. */
  readonly node: string;
}

export interface SandboxView {
  /** The real path, and the same inside. */
  readonly workspace: string;
  readonly mounts: readonly ProtectedMount[];
  /** Of each file system that is kept in memory. */
  readonly memoryBytes: number;
}

export const SANDBOX_HOME = "/home/agent";

/** What programs need in order to run, look up names and show the time. No keys, no passwords, no settings of services. */
const ETC = [
  ...[
    "alternatives",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "nsswitch.conf",
    "passwd",
    "group",
    "hosts",
  ],
  ...["localtime", "timezone", "os-release", "mime.types", "services", "protocols", "profile", "bash.bashrc"],
  ...["ssl/certs", "ssl/openssl.cnf", "pki/tls/certs", "pki/ca-trust", "ca-certificates", "fonts", "perl"],
];

const PROGRAMS = ["/usr", "/nix/store", "/gnu/store", "/run/current-system"];

export function bubblewrapArguments(machine: Machine, view: SandboxView): readonly string[] {
  return [
    ...isolation(machine),
    ...PROGRAMS.flatMap((path) => ["--ro-bind-try", path, path]),
    ...machine.roots.flatMap(({ path, linkTo }) =>
      linkTo === undefined ? ["--ro-bind", path, path] : ["--symlink", linkTo, path],
    ),
    ...ETC.flatMap((name) => ["--ro-bind-try", `/etc/${name}`, `/etc/${name}`]),
    ...["--proc", "/proc", "--dev", "/dev"],
    ...["/dev/shm", "/tmp", SANDBOX_HOME].flatMap((path) => inMemory(machine, path, view.memoryBytes)),
    ...nodeArguments(machine),
    ...["--bind", view.workspace, view.workspace],
    ...view.mounts.flatMap(protect),
    // Last, when all places exist. In /proc are switches of the whole machine (core_pattern, sysrq-trigger), which a process that
    // is root outside may write even without a single capability.
    ...["/proc", "/dev", "/"].flatMap((path) => ["--remount-ro", path]),
    ...["--chdir", view.workspace],
  ];
}

function isolation(machine: Machine): readonly string[] {
  return [
    ...["--unshare-all", "--unshare-user", "--cap-drop", "ALL", "--die-with-parent", "--new-session"],
    ...["--hostname", "sandbox"],
    ...(machine.has("--disable-userns") ? ["--disable-userns"] : []),
    ...(machine.isRoot ? ["--uid", "1000", "--gid", "1000"] : []),
  ];
}

function inMemory(machine: Machine, path: string, bytes: number): readonly string[] {
  return [...(machine.has("--size") ? ["--size", String(bytes)] : []), "--tmpfs", path];
}

/** Only the one file, since what is beside it may be a home. */
function nodeArguments({ node }: Machine): readonly string[] {
  return PROGRAMS.some((path) => isWithin(node, path)) ? [] : ["--ro-bind-try", node, node];
}

function protect({ path, kind, access }: ProtectedMount): readonly string[] {
  if (access === "in-place") return ["--bind", path, path];
  if (access === "read-only") return ["--ro-bind", path, path];
  return kind === "directory" ? ["--tmpfs", path, "--remount-ro", path] : ["--ro-bind", "/dev/null", path];
}
