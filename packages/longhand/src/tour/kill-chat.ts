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
  const seen = { event: false, moment: false };
  child.stderr
    .setEncoding("utf8")
    .on("data", (text: string) => (complaint = (complaint + text).slice(-2000)));
  const look = (): void => {
    if (seen.moment || !seen.event || (moment.file !== undefined && !existsSync(moment.file))) return;
    seen.moment = true;
    child.kill("SIGKILL");
  };
  createInterface({ input: child.stdout }).on("line", (line) => {
    seen.event ||= line.includes(`"type":"${moment.event}"`);
    look();
  });
  const looking = setInterval(look, LOOK_AGAIN_MILLISECONDS);
  const deadline = setTimeout(() => child.kill("SIGKILL"), MOST_MILLISECONDS);
  try {
    const signal = await ended;
    if (seen.moment && signal === "SIGKILL") return { pid: child.pid ?? 0 };
    const how = signal === null ? "ended by itself" : `was ended by ${signal}`;
    throw new CommandError(
      "TOUR_FAILED",
      `the agent ${how} before it could be killed in the middle of its turn. ${complaint}`,
    );
  } finally {
    clearTimeout(deadline);
    clearInterval(looking);
  }
}
