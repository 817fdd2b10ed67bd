/**
 * `exec`: a command of the shell, in the sandbox. Where there is none it needs somebody's yes for each command, and then runs with
 * the rights of the user, in a process group that is ended as a whole.
 */

import { homedir } from "node:os";
import * as z from "zod";
import { AgentError } from "../errors.ts";
import type { Redact } from "./redact-and-cut.ts";
import type { ProcessOutcome } from "./run-process.ts";
import { runProcess } from "./run-process.ts";
import { safeEnvironment } from "./safe-environment.ts";
import {
  EXEC_LIMITS,
  type CommandLimits,
  type CommandRequest,
  type NoSandbox,
  type Sandbox,
} from "./sandbox.ts";
import { defineTool, type Tool, type ToolOutput } from "./tool.ts";
import { visibleText } from "./visible-text.ts";

export interface ExecSettings {
  readonly workspace: string;
  readonly hiddenPaths: readonly string[];
  readonly sandbox: Sandbox | NoSandbox;
  /** @default EXEC_LIMITS */
  readonly limits?: Partial<CommandLimits>;
  /** Hides secrets, before anything is cut. @default nothing is hidden */
  readonly redact?: Redact | undefined;
}

/** Of UTF-8: Linux takes no longer argument of a program. */
const LONGEST_COMMAND = 131_071;

export function execTool(settings: ExecSettings): Tool {
  const { workspace, hiddenPaths, sandbox, redact } = settings;
  const limits = { ...EXEC_LIMITS, ...settings.limits };
  const longest = Math.max(1, Math.floor(limits.milliseconds / 1000));
  const parameters = z.object({
    command: z.string().min(1).describe("Run by sh -c in the workspace."),
    seconds: z.number().int().min(1).max(longest).optional().describe(`Time limit, at most ${longest}.`),
  });
  return defineTool({
    name: "exec",
    description: describe(sandbox, longest),
    parameters,
    ...(isSandbox(sandbox) ? {} : { needsApproval: () => askAbout(sandbox) }),
    run: async ({ command, seconds }, { signal }) => {
      checkCommand(command);
      const milliseconds = seconds === undefined ? limits.milliseconds : seconds * 1000;
      const request = {
        command,
        workspace,
        hiddenPaths,
        limits: { ...limits, milliseconds },
        redact,
        signal,
      };
      const outcome = isSandbox(sandbox) ? await sandbox.run(request) : await runUnprotected(request);
      if (outcome.ended === "cancelled") signal.throwIfAborted();
      return tell(outcome, request.limits);
    },
  });
}

function checkCommand(command: string): void {
  const bytes = Buffer.byteLength(command);
  if (bytes > LONGEST_COMMAND)
    throw new AgentError(
      "TOOL_REFUSED",
      `refused: the command is ${bytes} bytes long, and at most ${LONGEST_COMMAND} are possible; write it to a file with write_file and run that`,
      { bytes },
    );
  if (command.includes("\0"))
    throw new AgentError("TOOL_REFUSED", "refused: the command has a NUL character in it; leave it out");
}

function isSandbox(sandbox: Sandbox | NoSandbox): sandbox is Sandbox {
  return !("unavailable" in sandbox);
}

function describe(sandbox: Sandbox | NoSandbox, seconds: number): string {
  const where = isSandbox(sandbox)
    ? "in a sandbox without network, in which only the workspace and /tmp can be written"
    : "after the user has agreed";
  return `Runs a command of the shell in the workspace, ${where}, for at most ${seconds} seconds. What it leaves running in the background is ended.`;
}

function askAbout({ unavailable, remedy }: NoSandbox): string {
  return `the command would run without a sandbox, with all your rights: ${unavailable} (${remedy})`;
}

/** Only ever called after approval: the turn asks before `run` wherever `needsApproval` gives a reason. */
async function runUnprotected({
  command,
  workspace,
  limits,
  redact,
  signal,
}: CommandRequest): Promise<ProcessOutcome> {
  return await runProcess({
    file: "/bin/sh",
    arguments: ["-c", 'exec /bin/sh -c "$1" 2>&1', "sh", command],
    environment: safeEnvironment({ path: process.env["PATH"] ?? "/usr/bin:/bin", home: homedir() }),
    directory: workspace,
    redact,
    signal,
    ...limits,
  });
}

function tell(outcome: ProcessOutcome, limits: CommandLimits): ToolOutput {
  const output = visibleText(outcome.output);
  const last = ending(outcome, limits);
  if (last === undefined) return { content: output === "" ? "[no output]" : output };
  return {
    content: `${output}${output === "" || output.endsWith("\n") ? "" : "\n"}[${last}]`,
    isError: true,
  };
}

/** `undefined`: it went well. */
function ending({ ended, exitCode, outputBytes }: ProcessOutcome, limits: CommandLimits): string | undefined {
  switch (ended) {
    case "time":
      return `ended after ${limits.milliseconds / 1000} seconds, with all that it had started; give more seconds or a smaller task`;
    case "output":
      return `ended after ${outputBytes} bytes of output, more than the ${limits.outputBytes} allowed; write it to a file or filter it`;
    case "cancelled":
      return "cancelled";
    case "exited":
      if (exitCode === 0) return undefined;
      return exitCode === undefined ? "killed, perhaps for its use of memory" : `exit code ${exitCode}`;
  }
}
