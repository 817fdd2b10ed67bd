/**
 * A writer in a process of its own, from the outside. It is started early, since a start takes longer than most of its
 * lives, and begins when it gets its orders.
 */

import { spawn, type ChildProcessByStdio } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Told } from "./operation.ts";
import type { Orders } from "./orders.ts";

/** Processes are started from what was built, also where the sources are run. */
const PROGRAM = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../dist/writers/writer.js" : "./writer.js", import.meta.url),
);
const KEPT_OUTPUT = 4000;
const LONGEST_START = 60_000;

export class WriterProcess {
  /** Everything it has told so far. What it was telling when it was killed is not there. */
  readonly told: Told[] = [];
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #ended: Promise<void>;
  #end: string | undefined;
  #errors = "";
  #onNews: () => void = () => undefined;

  /** `launcher`: a program, with its parameters, that becomes the writer. */
  constructor(launcher: readonly string[] = []) {
    const [command, ...parameters] = [...launcher, process.execPath, PROGRAM];
    this.#child = spawn(command, parameters, { stdio: ["pipe", "pipe", "pipe"] });
    // One that is gone cannot be written to; how it ended tells.
    this.#child.stdin.on("error", () => undefined);
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#errors = (this.#errors + text).slice(-KEPT_OUTPUT);
    });
    let rest = "";
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      this.told.push(...lines.map((line) => JSON.parse(line) as Told));
      this.#onNews();
    });
    this.#ended = new Promise((resolve, reject) => {
      this.#child.on("error", reject);
      this.#child.on("close", (code, signal) => {
        this.#end = signal ?? `exit code ${code}`;
        this.#onNews();
        resolve();
      });
    });
    this.#ended.catch(() => undefined);
  }

  /** How it ended, if not by our kill, with what it said. */
  get mishap(): string | undefined {
    if (this.#end === undefined || this.#end === "SIGKILL") return undefined;
    return `the writer ended by itself (${this.#end}): ${this.#errors.trim()}`;
  }

  /** Resolves when it waits for its orders: one that is killed before is no writer yet. */
  async started(): Promise<void> {
    if ((await this.toldOf("ready", 1, LONGEST_START)) === 1) return;
    throw new Error(this.mishap ?? "a writer does not start");
  }

  begin(orders: Orders): void {
    this.#child.stdin.write(`${JSON.stringify(orders)}\n`);
  }

  /** Resolves when it has told so many things of this kind, has ended, or the time is over; how many it has told. */
  async toldOf(
    kind: Told["kind"] | ((told: Told) => boolean),
    count: number,
    milliseconds: number,
  ): Promise<number> {
    const matches = typeof kind === "function" ? kind : (told: Told): boolean => told.kind === kind;
    const isOver = new AbortController();
    const timer = sleep(milliseconds, undefined, { signal: isOver.signal }).catch(() => undefined);
    let isLate = false;
    void timer.then(() => {
      isLate = true;
      this.#onNews();
    });
    let looked = 0;
    let seen = 0;
    for (;;) {
      seen += this.told.slice(looked).filter(matches).length;
      looked = this.told.length;
      if (seen >= count || this.#end !== undefined || hasPassed()) break;
      await new Promise<void>((resolve) => {
        this.#onNews = resolve;
      });
    }
    isOver.abort();
    return seen;

    /** It changes while we wait, which the compiler cannot see. */
    function hasPassed(): boolean {
      return isLate;
    }
  }

  /** Stops it and waits until every thread of it stands still: no call of its own is in the kernel any more. */
  async stop(): Promise<void> {
    this.#child.kill("SIGSTOP");
    while (this.#end === undefined && !(await this.#isStill())) await sleep(1);
  }

  /** Resolves when it is gone and everything it told is here. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  async #isStill(): Promise<boolean> {
    const tasks = `/proc/${this.#child.pid ?? 0}/task`;
    try {
      for (const task of await readdir(tasks)) {
        const stat = await readFile(`${tasks}/${task}/stat`, "latin1");
        // The state is the field behind the name, which may hold brackets itself.
        if (!/^[TtZX]/.test(stat.slice(stat.lastIndexOf(")") + 2))) return false;
      }
      return true;
    } catch (error) {
      // A thread, or the process, ended while we looked: look again.
      if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
      throw error;
    }
  }
}
