/**
 * Runs commands where they can do little harm: bubblewrap, tried by running something in it once, since it may be installed and
 * forbidden. What is visible inside is in bubblewrap-arguments.ts, what is limited, and what is not, in docs/tools.md.
 */

import { access, constants, lstat, mkdtemp, readlink, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { AgentError } from "../errors.ts";
import { bubblewrapArguments, SANDBOX_HOME, type Machine } from "./bubblewrap-arguments.ts";
import { makeControlGroup, type ControlGroup } from "./control-group.ts";
import { holdPlaceholder } from "./git-placeholder.ts";
import { prepareWorkspace } from "./prepare-workspace.ts";
import type { Redact } from "./redact-and-cut.ts";
import { runProcess, type ProcessOutcome } from "./run-process.ts";
import { safeEnvironment } from "./safe-environment.ts";

export interface Sandbox {
  readonly name: "bubblewrap";
  /** "group": all processes of a command together, by a control group. "namespace": by the user namespace. "none": not limited. */
  readonly processLimit: "group" | "namespace" | "none";
  /** "group": all processes together. "process": each by itself. */
  readonly memoryLimit: "group" | "process";
  /** TOOL_FAILED: the sandbox did not start; the command has not run. */
  run(request: CommandRequest): Promise<ProcessOutcome>;
}

export interface NoSandbox {
  /** Why. */
  readonly unavailable: string;
  readonly remedy: string;
}

export interface CommandRequest {
  readonly command: string;
  readonly workspace: string;
  /** In it; neither read nor written, besides what is always protected. */
  readonly hiddenPaths: readonly string[];
  readonly limits: CommandLimits;
  /** Hides secrets in the output, before it is cut. */
  readonly redact?: Redact | undefined;
  readonly signal: AbortSignal;
}

export interface CommandLimits {
  readonly milliseconds: number;
  /** Of the output, the beginning and the end. */
  readonly keptBytes: number;
  /** More output than this ends the command. */
  readonly outputBytes: number;
  readonly processes: number;
  readonly memoryBytes: number;
}

export const EXEC_LIMITS: CommandLimits = {
  // Less than a turn gives a tool, so that what was printed until then is told.
  milliseconds: 100_000,
  keptBytes: 40_000,
  outputBytes: 16 * 1024 * 1024,
  processes: 256,
  memoryBytes: 2 * 1024 * 1024 * 1024,
};

type LimitedBy = Pick<Sandbox, "processLimit" | "memoryLimit">;

const WAYS: readonly LimitedBy[] = [
  { processLimit: "group", memoryLimit: "group" },
  { processLimit: "namespace", memoryLimit: "process" },
  { processLimit: "none", memoryLimit: "process" },
];

// Never by PATH: what npm puts in front of it can lie in a workspace.
const PLACES = ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"];

export async function findSandbox(): Promise<Sandbox | NoSandbox> {
  if (process.platform !== "linux")
    return {
      unavailable: `bubblewrap does not exist for ${process.platform}`,
      remedy: "use Linux, or allow each command",
    };
  const program = await findProgram();
  if (program === undefined)
    return {
      unavailable: "bubblewrap (bwrap) is not installed",
      remedy: "install it, for instance: apt install bubblewrap",
    };
  const machine = await lookAtMachine(program);
  const workspace = await mkdtemp(join(tmpdir(), "longhand-sandbox-"));
  let problem = "";
  try {
    for (const limitedBy of WAYS) {
      // To root a limit of the user namespace does not apply.
      if (machine.isRoot && limitedBy.processLimit === "namespace") continue;
      const sandbox = bubblewrap(program, machine, limitedBy);
      const tried = await tryOnce(sandbox, workspace);
      if (tried === undefined) return sandbox;
      problem = tried;
    }
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
  return {
    unavailable: `bubblewrap is installed but does not work here: ${problem}`,
    remedy:
      "allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0; in a container: --security-opt seccomp=unconfined)",
  };
}

/** `undefined`: it works, and a process can be started in it. */
async function tryOnce(sandbox: Sandbox, workspace: string): Promise<string | undefined> {
  const limits = { ...EXEC_LIMITS, milliseconds: 10_000 };
  const { signal } = new AbortController();
  try {
    const outcome = await sandbox.run({
      command: "true & wait $!",
      workspace,
      hiddenPaths: [],
      limits,
      signal,
    });
    return outcome.exitCode === 0
      ? undefined
      : `a trial ended with code ${outcome.exitCode ?? "none"}: ${outcome.output}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function bubblewrap(program: string, machine: Machine, limitedBy: LimitedBy): Sandbox {
  return {
    name: "bubblewrap",
    ...limitedBy,
    run: async (request) => {
      const workspace = await realpath(request.workspace);
      if (workspace === "/")
        throw new AgentError(
          "TOOL_REFUSED",
          "refused: commands do not run with / as workspace; choose a directory",
        );
      return await withoutNewRepository(workspace, async () => await runIn(workspace, request));
    },
  };

  async function runIn(workspace: string, request: CommandRequest): Promise<ProcessOutcome> {
    const { limits, redact, signal } = request;
    const mounts = await prepareWorkspace(workspace, request.hiddenPaths);
    const view = { workspace, mounts, memoryBytes: Math.floor(limits.memoryBytes / 4) };
    const sandboxed = [program, ...bubblewrapArguments(machine, view), "--", "/bin/sh", "-c"];
    const group = await joinGroup(limitedBy, limits);
    try {
      const outcome = await runProcess({
        file: "/bin/sh",
        arguments: [
          "-c",
          JOIN,
          "sh",
          ...(group?.joinFiles ?? []),
          "--",
          ...sandboxed,
          limitThenRun(limitedBy, limits),
          "sh",
          request.command,
        ],
        environment: safeEnvironment({ path: pathFor(machine), home: SANDBOX_HOME }),
        directory: "/",
        redact,
        signal,
        ...limits,
      });
      // The command's own errors go to its output: what is here was said by bubblewrap, before the command.
      if (outcome.problem !== "" && outcome.exitCode !== 0 && outcome.ended === "exited")
        throw new AgentError("TOOL_FAILED", `the sandbox did not start: ${outcome.problem.trim()}`, {
          isStartFailed: true,
        });
      return outcome;
    } finally {
      await group?.remove();
    }
  }
}

/** Another process may remove the placeholder just before it is mounted. Then the sandbox did not start, and starts anew. */
const MOST_STARTS = 3;

async function withoutNewRepository(
  workspace: string,
  run: () => Promise<ProcessOutcome>,
): Promise<ProcessOutcome> {
  for (let start = 1; ; start++) {
    const placeholder = await holdPlaceholder(join(workspace, ".git"));
    try {
      return await run();
    } catch (error) {
      const isStartFailed = error instanceof AgentError && error.detail["isStartFailed"] === true;
      if (placeholder === undefined || !isStartFailed || start === MOST_STARTS) throw error;
    } finally {
      await placeholder?.release();
    }
  }
}

async function joinGroup(
  { processLimit }: LimitedBy,
  limits: CommandLimits,
): Promise<ControlGroup | undefined> {
  if (processLimit !== "group") return undefined;
  const group = await makeControlGroup(limits);
  if (group === undefined) throw new AgentError("TOOL_FAILED", "no control group can be made here");
  return group;
}

/** Joins the groups named before "--", and becomes what comes after it. */
const JOIN = 'while [ "$1" != -- ]; do echo $$ >"$1" || exit 1; shift; done; shift; exec "$@"';

/** In the sandbox, before the command. dash has -p for what bash calls -u; bash's -p is something else. */
function limitThenRun({ processLimit }: LimitedBy, limits: CommandLimits): string {
  const processes = `if (ulimit -u ${limits.processes}) 2>/dev/null; then ulimit -u ${limits.processes}; else ulimit -p ${limits.processes}; fi`;
  return [
    "ulimit -c 0",
    ...(processLimit === "group" ? [] : [`ulimit -d ${Math.ceil(limits.memoryBytes / 1024)}`]),
    ...(processLimit === "namespace" ? [processes] : []),
    'exec /bin/sh -c "$1" 2>&1',
  ].join("; ");
}

function pathFor({ node }: Machine): string {
  const standard = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin";
  return standard.split(":").includes(dirname(node)) ? standard : `${standard}:${dirname(node)}`;
}

async function findProgram(): Promise<string | undefined> {
  for (const place of PLACES) {
    const path = join(place, "bwrap");
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}

async function lookAtMachine(program: string): Promise<Machine> {
  const { signal } = new AbortController();
  const help = await runProcess({
    file: program,
    arguments: ["--help"],
    environment: {},
    directory: "/",
    milliseconds: 10_000,
    keptBytes: 100_000,
    outputBytes: 100_000,
    signal,
  });
  const options = new Set(`${help.output} ${help.problem}`.split(/\s+/));
  const roots: { path: string; linkTo: string | undefined }[] = [];
  for (const path of ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"]) {
    const found = await lstat(path).catch(() => undefined);
    if (found === undefined) continue;
    roots.push({ path, linkTo: found.isSymbolicLink() ? await readlink(path) : undefined });
  }
  return {
    roots,
    has: (option) => options.has(option),
    isRoot: process.getuid?.() === 0,
    node: process.execPath,
  };
}
