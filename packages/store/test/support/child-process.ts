/** Real processes that use the built package: what can only be shown by killing and stopping somebody. */

import { spawn, type ChildProcessByStdio } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

type Script =
  "append-shared" | "append-until-killed" | "hold-store" | "hold-in-cluster" | "touch-many-sessions";

/** Another program starts it. */
interface ScriptThrough {
  readonly script: Script;
  readonly through: readonly string[];
}

const running = new Set<ChildProcess>();

/** For afterEach: whatever a failed test has left behind. */
export async function killChildren(): Promise<void> {
  await Promise.all([...running].map(async (child) => await child.kill()));
}

export class ChildProcess {
  readonly pid: number;
  /** Everything it has printed so far, a line each. */
  readonly lines: string[] = [];
  /** Resolves with the signal or the code that ended it, after all of its output was read. */
  readonly ended: Promise<NodeJS.Signals | number>;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  #onLine: () => void = () => undefined;
  #hasEnded = false;

  constructor(what: Script | ScriptThrough, ...parameters: readonly string[]) {
    const { script, through } = typeof what === "string" ? { script: what, through: [] } : what;
    const path = fileURLToPath(new URL(`${script}.mjs`, import.meta.url));
    const [command = "", ...rest] = [...through, process.execPath, path, ...parameters];
    this.#child = spawn(command, rest, { stdio: ["pipe", "pipe", "inherit"] });
    // One that is gone cannot be written to; `ended` tells.
    this.#child.stdin.on("error", () => undefined);
    // Never 0 or -1: a signal to those goes to whole groups of processes.
    this.pid = this.#child.pid ?? Number.NaN;
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      this.lines.push(line);
      this.#onLine();
    });
    this.ended = new Promise((resolve, reject) => {
      this.#child.on("error", reject);
      this.#child.on("close", (code, signal) => {
        this.#hasEnded = true;
        running.delete(this);
        this.#onLine();
        resolve(signal ?? code ?? -1);
      });
    });
    running.add(this);
  }

  /** Resolves when it has printed so many lines; rejects if it ends before. */
  async printed(count: number): Promise<void> {
    while (this.lines.length < count) {
      if (this.#hasEnded) throw new Error(`the process ended after: ${this.lines.join(" | ")}`);
      await new Promise<void>((resolve) => {
        this.#onLine = resolve;
      });
    }
  }

  /** Sends a line and resolves with the next one it prints. */
  async ask(line: string): Promise<string> {
    const before = this.lines.length;
    this.#child.stdin.write(`${line}\n`);
    await this.printed(before + 1);
    return this.lines[before] ?? "";
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.ended;
  }
}
