/** The real terminal behind ChatTerminal. What it changes about the terminal it changes back, also when the process exits. */

import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { Colors } from "../terminal/output.ts";
import type { ChatTerminal, TerminalListener } from "./chat-terminal.ts";

const PASTE_ON = "\u001b[?2004h";
const PASTE_OFF = "\u001b[?2004l";
const USUAL_WIDTH = 80;
const USUAL_HEIGHT = 24;
/** Milliseconds after which a process that was to be stopped runs on. */
const UNSTOPPED = 200;

/** For a process whose standard input and output are both terminals. */
export function processTerminal(colors: Colors): ChatTerminal {
  const { stdin, stdout } = process;
  const setKeys = (isOn: boolean): void => {
    stdin.setRawMode(isOn);
    stdout.write(isOn ? PASTE_ON : PASTE_OFF);
  };
  return {
    colors,
    write: (text) => void stdout.write(text),
    now: () => new Date(),
    get width(): number {
      return stdout.columns || USUAL_WIDTH;
    },
    get height(): number {
      return stdout.rows || USUAL_HEIGHT;
    },
    open: (listener: TerminalListener) => {
      const bytes = (chunk: Uint8Array): void => listener.bytes(chunk);
      const resized = (): void => listener.resized();
      const ended = (): void => listener.ended();
      const restore = (): void => setKeys(false);
      setKeys(true);
      // Errors are still listened to afterwards: a terminal that is gone fails late, and once more when it is restored.
      stdin.on("data", bytes).on("end", ended).on("close", ended).on("error", ended);
      stdout.on("resize", resized).on("error", ended);
      process.once("exit", restore);
      stdin.resume();
      return () => {
        stdin.off("data", bytes).off("end", ended).off("close", ended);
        stdout.off("resize", resized);
        process.off("exit", restore);
        if (!stdin.destroyed) restore();
        stdin.pause();
      };
    },
    suspend: async () => {
      setKeys(false);
      const continued = new AbortController();
      // Where no shell could bring it back the signal stops nobody, and none comes to go on: then time ends the waiting.
      const runsOn = pause(UNSTOPPED, undefined, { signal: continued.signal });
      const goesOn = once(process, "SIGCONT", { signal: continued.signal });
      // The whole group: where npm started the chat, the shell waits for npm to stop, not for us.
      process.kill(0, "SIGTSTP");
      await Promise.race([runsOn, goesOn]);
      for (const waiting of [runsOn, goesOn]) waiting.catch(() => undefined);
      continued.abort();
      setKeys(true);
    },
  };
}
