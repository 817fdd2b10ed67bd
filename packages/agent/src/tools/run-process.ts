/**
 * One process, from its start until it and what it has started are over: at most so long, at most so much output, and ended as
 * soon as the signal aborts. It returns when the process has ended, even if a grandchild still holds the output open.
 */

import { spawn, type ChildProcess } from "node:child_process";
import { withDeadline } from "../kernel/with-deadline.ts";
import { errorCode } from "./error-code.ts";
import { CollectedOutput } from "./collect-output.ts";
import type { Redact } from "./redact-and-cut.ts";

export interface ProcessRequest {
  readonly file: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  readonly milliseconds: number;
  /** Of the output, the beginning and the end. */
  readonly keptBytes: number;
  /** More output than this ends the process. */
  readonly outputBytes: number;
  /** Hides secrets in the output, before it is cut. */
  readonly redact?: Redact | undefined;
  readonly signal: AbortSignal;
}

export interface ProcessOutcome {
  readonly output: string;
  readonly outputBytes: number;
  /** Of the standard error, which is the launcher's: what is run writes both to the standard output. */
  readonly problem: string;
  /** `undefined`: it was killed. */
  readonly exitCode: number | undefined;
  readonly ended: "exited" | "time" | "output" | "cancelled";
}

const PROBLEM_BYTES = 4000;
/** For the last of the output to arrive once the process is gone. */
const DRAIN_MILLISECONDS = 1000;

export async function runProcess(request: ProcessRequest): Promise<ProcessOutcome> {
  const { signal } = request;
  signal.throwIfAborted();
  const output = new CollectedOutput(request.keptBytes, request.redact);
  const problem = new CollectedOutput(PROBLEM_BYTES, request.redact);
  // A process group of its own, so that it can be ended as a whole.
  const child = spawn(request.file, request.arguments, {
    cwd: request.directory,
    env: { ...request.environment },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let ended: ProcessOutcome["ended"] = "exited";
  const end = (why: ProcessOutcome["ended"]): void => {
    if (ended !== "exited") return;
    ended = why;
    killGroup(child);
  };
  child.stdout.on("data", (chunk: Buffer) => {
    if (output.total <= request.outputBytes) output.add(chunk);
    if (output.total > request.outputBytes) end("output");
  });
  child.stderr.on("data", (chunk: Buffer) => problem.add(chunk));
  const exited = new Promise<number | undefined>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? undefined));
  });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const onAbort = (): void => end("cancelled");
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const exitCode = await withDeadline(request.milliseconds, () => exited, {
      timedOut: () => new Error("the time is over"),
    }).catch(async () => {
      end("time");
      // Rejects if it never started; otherwise the kill is under way.
      return await exited;
    });
    // Those it has left behind in its group.
    killGroup(child);
    await withDeadline(DRAIN_MILLISECONDS, () => closed, { timedOut: () => new Error("still open") }).catch(
      () => undefined,
    );
    return { output: output.text(), outputBytes: output.total, problem: problem.text(), exitCode, ended };
  } finally {
    signal.removeEventListener("abort", onAbort);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    // None of the group is left, or (macOS) none that is not a zombie.
    const code = errorCode(error);
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}
