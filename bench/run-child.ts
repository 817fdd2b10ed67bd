/** Runs one task in a fresh child process. */

import { execFileSync, fork } from "node:child_process";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { straceOf } from "./count-syncs.ts";
import type { Answer, Task } from "./task.ts";

const CHILD = fileURLToPath(new URL("./child.js", import.meta.url));
const KEPT_OUTPUT = 4000;
/** Far more than any task needs: one that takes so long hangs. */
const TIME_LIMIT_MS = 60 * 60_000;

export interface ChildOptions {
  /** Waits before the child starts. */
  readonly restMs?: number | undefined;
  /** Runs it under strace, which writes to this file. */
  readonly traceFile?: string;
  /** The script of the child. */
  readonly path?: string;
}

export type RunTask = (task: Task, options?: ChildOptions) => Promise<Answer>;

/** Never rejects: a child that dies has failed. Writes of others are synced first, so that none is paid for here. */
export async function runInChild(
  task: Task,
  { restMs = 0, traceFile, path = CHILD }: ChildOptions = {},
): Promise<Answer> {
  execFileSync("sync");
  if (restMs > 0) await sleep(restMs);
  return await new Promise((resolve) => {
    const child = fork(path, [JSON.stringify(task)], {
      ...(traceFile !== undefined && straceOf(process.execPath, traceFile)),
      serialization: "advanced",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    let output = "";
    let answer: Answer | undefined;
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-KEPT_OUTPUT);
    });
    child.on("message", (message) => {
      answer = message as Answer;
    });
    const kill = (): boolean => child.kill("SIGKILL");
    const timer = setTimeout(kill, TIME_LIMIT_MS);
    // A run that is interrupted removes its stores: nothing may go on writing to them.
    process.prependOnceListener("exit", kill);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      process.off("exit", kill);
      const reason = `the child process died (${signal ?? `exit code ${code}`}): ${output.trim()}`;
      resolve(answer ?? { kind: "failed", reason });
    });
  });
}
