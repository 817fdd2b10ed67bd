/** Starts the writer, lets it get some acknowledgements, and kills it with SIGKILL in the middle of its work. */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { CommandError } from "../command-error.ts";
import type { Acknowledgement } from "./check-recovery.ts";

export interface KilledWriter {
  readonly pid: number;
  /** What the writer was told was kept, and managed to pass on before it died. */
  readonly acknowledged: readonly Acknowledgement[];
}

const ENOUGH = 150;
/** A slow disk gives fewer acknowledgements; the tour stays short. */
const MOST_MILLISECONDS = 10_000;

export async function killWriter(directory: string, key: string): Promise<KilledWriter> {
  const program = fileURLToPath(new URL("./writer.js", import.meta.url));
  const child = spawn(process.execPath, [program, directory, key], { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<NodeJS.Signals | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (_code, signal) => resolve(signal));
  });
  let complaint = "";
  child.stderr
    .setEncoding("utf8")
    .on("data", (text: string) => (complaint = (complaint + text).slice(-2000)));
  const acknowledged: Acknowledgement[] = [];
  const deadline = setTimeout(() => child.kill("SIGKILL"), MOST_MILLISECONDS);
  createInterface({ input: child.stdout }).on("line", (line) => {
    const acknowledgement = parseAcknowledgement(line);
    // Half a line is an acknowledgement that did not arrive.
    if (acknowledgement !== undefined) acknowledged.push(acknowledgement);
    if (acknowledged.length === ENOUGH) child.kill("SIGKILL");
  });
  try {
    const signal = await ended;
    if (signal === "SIGKILL" && acknowledged.length > 0) return { pid: child.pid ?? 0, acknowledged };
    const how = signal === null ? "ended by itself" : `was ended by ${signal}`;
    throw new CommandError(
      "TOUR_FAILED",
      `the writer ${how} after ${acknowledged.length} acknowledgements, before it could be killed in its work. ${complaint}`,
    );
  } finally {
    clearTimeout(deadline);
  }
}

function parseAcknowledgement(line: string): Acknowledgement | undefined {
  const match = /^\{"number":(\d+),"seq":(\d+)\}$/.exec(line);
  return match === null ? undefined : { number: Number(match[1]), seq: Number(match[2]) };
}
