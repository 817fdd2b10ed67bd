/** Starts the program itself with one message, and kills it with SIGKILL in the middle of its turn. */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { CommandError } from "../command-error.ts";

const MOST_MILLISECONDS = 20_000;
const LOOK_AGAIN_MILLISECONDS = 10;

/** When this event was printed; and, if one is named, as soon as this file is there. */
export interface KillMoment {
  readonly event: string;
  readonly file: string | undefined;
}

export async function killChat(
  home: string,
  key: string,
  message: string,
  moment: KillMoment,
): Promise<{ readonly pid: number }> {
  const program = fileURLToPath(new URL("../main.js", import.meta.url));
  const words = ["--home", home, "chat", key, "--model", "offline", "--json", "-m", message];
  const child = spawn(process.execPath, [program, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<NodeJS.Signals | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (_code, signal) => resolve(signal));
  });
  let complaint = "";
  const seen = { event: false };
  child.stderr
    .setEncoding("utf8")
    .on("data", (text: string) => (complaint = (complaint + text).slice(-2000)));
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line.includes(`"type":"${moment.event}"`)) seen.event = true;
  });
  const looking = setInterval(() => {
    if (seen.event && (moment.file === undefined || existsSync(moment.file))) child.kill("SIGKILL");
  }, LOOK_AGAIN_MILLISECONDS);
  const deadline = setTimeout(() => child.kill("SIGKILL"), MOST_MILLISECONDS);
  try {
    await ended;
    if (seen.event) return { pid: child.pid ?? 0 };
    throw new CommandError("TOUR_FAILED", `the agent ended before its ${moment.event} came. ${complaint}`);
  } finally {
    clearTimeout(deadline);
    clearInterval(looking);
  }
}
