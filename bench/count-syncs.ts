/**
 * Counts how often a task makes the disk flush, with strace: syncs, and writes to files that were opened with O_DSYNC or
 * O_SYNC. Outside of the timing, since strace slows everything down; opening and closing the store are counted too.
 */

import { spawnSync } from "node:child_process";

/** Every call that flushes, or that opens or writes a file that flushes by itself. */
const CALLS =
  "fsync,fdatasync,msync,sync_file_range,syncfs,openat,open,write,pwrite64,writev,pwritev,pwritev2";

const SYNC = /^\d+ +(?:fsync|fdatasync|sync_file_range|syncfs|msync\(.*MS_SYNC)/;
const OPEN = /^(\d+) +open(?:at)?\(.*/;
const FLUSHING = /\bO_D?SYNC\b/;
const OPEN_RESUMED = /^(\d+) +<\.\.\. open(?:at)? resumed>/;
const OPENED = /= (\d+<.*>)$/;
const WRITTEN = /^\d+ +p?write(?:v|64|v2)?\((\d+<[^>]*>)/;

export function hasStrace(): boolean {
  return spawnSync("strace", ["-V"], { stdio: "ignore" }).status === 0;
}

/** For `fork`: the program and its first parameters; the trace goes to the file. */
export function straceOf(node: string, file: string): { execPath: string; execArgv: string[] } {
  return { execPath: "strace", execArgv: ["-f", "-y", "-s", "0", "-o", file, "-e", `trace=${CALLS}`, node] };
}

/** A call that strace shows in two lines is counted where it begins. */
export function countSyncs(trace: string): number {
  /** Descriptors with their paths: one file may be open twice, and flush in one of them only. */
  const flushing = new Set<string>();
  /** Threads whose opening is not finished, and whether it is one that flushes. */
  const opening = new Map<string, boolean>();
  let syncs = 0;
  for (const line of trace.split("\n")) {
    const thread = (OPEN.exec(line) ?? OPEN_RESUMED.exec(line))?.[1];
    if (thread !== undefined) {
      const flushes = opening.get(thread) ?? FLUSHING.test(line);
      const opened = OPENED.exec(line)?.[1];
      if (opened === undefined && line.endsWith("<unfinished ...>")) opening.set(thread, flushes);
      else opening.delete(thread);
      if (opened !== undefined && flushes) flushing.add(opened);
      else if (opened !== undefined) flushing.delete(opened);
      continue;
    }
    const written = WRITTEN.exec(line)?.[1];
    if (SYNC.test(line) || (written !== undefined && flushing.has(written))) syncs += 1;
  }
  return syncs;
}
