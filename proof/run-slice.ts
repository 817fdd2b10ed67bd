/** One slice of a part in a worker process, from its start to its end. */

import { fork } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { NO_SHRINKING } from "./shrinking.ts";
import { FIXED_ONLY, type Outcome, type WorkerMessage } from "./worker-message.ts";

/** No slice takes more than a minute, on a busy machine or over a broken store a few; one that takes so long hangs. */
const TIME_LIMIT = 25 * 60_000;
/** A slice of the mutants runs slices of other parts itself, one after another, each with the limit above. */
const LIMITS: Readonly<Record<string, number>> = { mutants: 20 * TIME_LIMIT };
const KEPT_OUTPUT = 4000;
/** A simulation makes much garbage of short life; and every core has a worker of its own, none is free to collect it. */
const GARBAGE_FLAGS = ["--max-semi-space-size=64", "--single-threaded-gc"];

const WORKER = fileURLToPath(new URL("./work.js", import.meta.url));

export interface SliceOfPart {
  readonly part: string;
  readonly slice: number | "control";
  readonly seed: number;
  /** Without what the part draws by chance. @default false */
  readonly isFixedOnly?: boolean;
  /** The worker of another copy of the proof, where it only matters whether there is a violation. */
  readonly worker?: string;
}

/** Never rejects: a worker that dies is a failed one. When `abort` fires, it is told to end. */
export async function runSlice(
  { part, slice, seed, isFixedOnly = false, worker: path = WORKER }: SliceOfPart,
  onMessage: (message: Exclude<WorkerMessage, { kind: "ended" }>) => void,
  abort: AbortSignal,
): Promise<Outcome> {
  return await new Promise((resolve) => {
    const worker = fork(path, [part, String(slice), String(seed), ...(isFixedOnly ? [FIXED_ONLY] : [])], {
      serialization: "advanced",
      execArgv: GARBAGE_FLAGS,
      env: path === WORKER ? process.env : { ...process.env, [NO_SHRINKING]: "yes" },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    let output = "";
    let outcome: Outcome | undefined;
    worker.stderr?.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-KEPT_OUTPUT);
    });
    worker.on("message", (message) => {
      const known = message as WorkerMessage;
      if (known.kind === "ended") outcome = known.outcome;
      else onMessage(known);
    });
    const end = (): void => {
      worker.kill("SIGTERM");
    };
    const limit = timeLimitOf(part);
    const timer = setTimeout(() => {
      outcome = { kind: "failed", story: `it did not end within ${limit / 60_000} minutes` };
      worker.kill("SIGKILL");
    }, limit);
    abort.addEventListener("abort", end);
    worker.on("close", (code, signal) => {
      clearTimeout(timer);
      abort.removeEventListener("abort", end);
      resolve(
        outcome ?? {
          kind: "failed",
          story: `the worker died (${signal ?? `exit code ${code}`}): ${output.trim()}`,
        },
      );
    });
  });
}

/** In milliseconds. */
export function timeLimitOf(part: string): number {
  return LIMITS[part] ?? TIME_LIMIT;
}
