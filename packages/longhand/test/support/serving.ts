/** `longhand serve --stdio` in a process of its own: lines in, lines out, and every way for it to end. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const PROGRAM: string = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

export type LineOut = Readonly<Record<string, unknown>>;

export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** A home whose agent is answered by a server on loopback. */
export async function writeConfig(home: string, url: string, more: object = {}): Promise<void> {
  const config = {
    agent: { model: "openai:small" },
    models: { openai: { url } },
    memory: { enabled: false },
    ...more,
  };
  await writeFile(join(home, "longhand.json"), JSON.stringify(config));
}

export class Serving {
  readonly child: ChildProcessWithoutNullStreams;
  readonly out: LineOut[] = [];
  readonly ended: Promise<Ended>;

  constructor(home: string, words: readonly string[] = []) {
    const environment = {
      PATH: process.env["PATH"],
      LONGHAND_HOME: home,
      OPENAI_API_KEY: "a-key-for-tests",
    };
    this.child = spawn(process.execPath, [PROGRAM, "serve", "--stdio", ...words], {
      cwd: home,
      env: environment,
    });
    let [unfinished, stderr] = ["", ""];
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const lines = (unfinished + text).split("\n");
      unfinished = lines.pop() ?? "";
      this.out.push(...lines.map((line) => JSON.parse(line) as LineOut));
    });
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    this.child.stdin.on("error", () => undefined);
    this.ended = once(this.child, "close").then(() => ({
      exitCode: this.child.exitCode,
      signal: this.child.signalCode,
      stderr,
    }));
  }

  say(line: object): void {
    this.child.stdin.write(`${JSON.stringify(line)}\n`);
  }

  ofType(type: string): readonly LineOut[] {
    return this.out.filter((line) => line["type"] === type);
  }

  /** Waits until so many lines of a type were written. */
  async until(type: string, count = 1): Promise<readonly LineOut[]> {
    const tooEarly = this.ended.then((ended) => {
      if (this.ofType(type).length >= count) return;
      const written = JSON.stringify(this.out);
      throw new Error(`ended before ${count} × ${type}: ${JSON.stringify(ended)}, having written ${written}`);
    });
    while (this.ofType(type).length < count) {
      await Promise.race([once(this.child.stdout, "data"), tooEarly]);
    }
    return this.ofType(type);
  }

  /** The end of the input; waits for the end of the process. */
  async end(): Promise<Ended> {
    this.child.stdin.end();
    return await this.ended;
  }

  async kill(signal: NodeJS.Signals): Promise<Ended> {
    this.child.kill(signal);
    return await this.ended;
  }
}
