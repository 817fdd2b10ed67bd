/** Opens the store for writing; while another process has it, tries again for a while. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Damage, LonghandError, Store } from "@longhand/store";

export interface OpenOptions {
  /** For how many seconds; 0: at once or not at all. */
  readonly wait: number;
  readonly onDamage: (damage: Damage) => void;
  readonly onError: (error: LonghandError) => void;
  /** Told once, when it takes so long that a person would wonder. */
  readonly onWaiting: (owner: string) => void;
}

const MILLISECONDS_BETWEEN = 100;
const MILLISECONDS_UNTOLD = 1000;

export async function openWhenFree(directory: string, options: OpenOptions): Promise<Store> {
  const { openStore, isLonghandError } = await import("@longhand/store");
  const { wait, onDamage, onError, onWaiting } = options;
  const began = performance.now();
  let isTold = false;
  for (;;) {
    try {
      return await openStore(directory, { onDamage, onError });
    } catch (error) {
      const waited = performance.now() - began;
      const left = wait * 1000 - waited;
      if (!isLonghandError(error, "SESSION_LOCKED") || left <= 0) throw error;
      if (!isTold && waited >= MILLISECONDS_UNTOLD) {
        onWaiting(describeOwner(error.detail) ?? "another process");
        isTold = true;
      }
      await sleep(Math.min(MILLISECONDS_BETWEEN, left));
    }
  }
}

export function describeOwner(detail: Readonly<Record<string, unknown>>): string | undefined {
  const { pid, host, since } = detail;
  if (typeof pid !== "number") return undefined;
  const where = typeof host === "string" ? ` on ${host}` : "";
  return `process ${pid}${where}${typeof since === "string" ? ` since ${since}` : ""}`;
}
