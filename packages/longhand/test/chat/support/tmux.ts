/** A real terminal for tests: tmux, with a server of its own that ends with the test. */

import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Tmux {
  /** What is on the screen, without colours; with what has scrolled away. */
  screen(): Promise<string>;
  cursor(): Promise<{ readonly column: number; readonly row: number }>;
  types(text: string): Promise<void>;
  /** A key by its name in tmux, such as "Enter" or "C-c". */
  presses(...keys: readonly string[]): Promise<void>;
  pastes(text: string): Promise<void>;
  resizes(width: number, height: number): Promise<void>;
  sees(...wanted: readonly (string | RegExp)[]): Promise<string>;
  /** Of the process in the terminal. */
  processId(): Promise<number>;
  /** Waits until the process in the terminal has ended. */
  ends(): Promise<void>;
}

/** `undefined`: it can be used. Otherwise why not. */
export async function whyNoTmux(): Promise<string | undefined> {
  try {
    await run("tmux", ["-V"]);
    return undefined;
  } catch {
    return "tmux is not installed; it is a package of the same name";
  }
}

export async function withTmux(
  command: readonly string[],
  size: { readonly width: number; readonly height: number },
  use: (tmux: Tmux) => Promise<void>,
): Promise<void> {
  const name = `longhand-${process.pid}-${Math.random().toString(36).slice(2)}`;
  const tmux = async (...words: readonly string[]): Promise<string> =>
    (
      await run("tmux", ["-u", "-L", name, "-f", "/dev/null", ...words], {
        env: { ...process.env, TERM: "xterm-256color", LC_ALL: "C.UTF-8" },
      })
    ).stdout;
  await tmux("new-session", "-d", "-x", String(size.width), "-y", String(size.height), "sh");
  // The last screen is still to be read when the process has ended.
  await tmux("set-option", "-g", "remain-on-exit", "on");
  await tmux("respawn-pane", "-k", command.map((word) => `'${word}'`).join(" "));
  const screen = async (): Promise<string> =>
    (await tmux("capture-pane", "-p", "-S", "-"))
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n");
  const given: Tmux = {
    screen,
    cursor: async () => {
      const [column = 0, row = 0] = (await tmux("display-message", "-p", "#{cursor_x} #{cursor_y}"))
        .split(" ")
        .map(Number);
      return { column, row };
    },
    types: async (text) => {
      await tmux("send-keys", "-l", "--", text);
    },
    presses: async (...keys) => {
      await tmux("send-keys", ...keys);
    },
    pastes: async (text) => {
      await tmux("set-buffer", "--", text);
      await tmux("paste-buffer", "-p");
    },
    resizes: async (width, height) => {
      await tmux("resize-window", "-x", String(width), "-y", String(height));
    },
    sees: async (...wanted) => {
      for (let tries = 0; ; tries++) {
        const seen = await screen();
        const missing = wanted.filter((each) =>
          typeof each === "string" ? !seen.includes(each) : !each.test(seen),
        );
        if (missing.length === 0) return seen;
        if (tries === 1200) throw new Error(`not seen: ${missing.join(", ")}\n${seen}`);
        await pause(50);
      }
    },
    ends: async () => {
      for (let tries = 0; (await tmux("display-message", "-p", "#{pane_dead}")).trim() !== "1"; tries++) {
        if (tries === 1200) throw new Error(`the process has not ended\n${await screen()}`);
        await pause(50);
      }
    },
    processId: async () => Number(await tmux("display-message", "-p", "#{pane_pid}")),
  };
  try {
    await use(given);
  } finally {
    await tmux("kill-server");
  }
}
