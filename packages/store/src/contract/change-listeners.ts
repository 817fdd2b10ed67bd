import type { SessionInfo } from "../format/session-record.ts";
import type { SeenSession } from "./backend.ts";

/** Who waits for a session to change, in a backend whose sessions nobody else can change. */
export class ChangeListeners {
  readonly #listeners = new Map<string, Set<() => void>>();

  /** Resolves with the next change of the key, or when the signal aborts; nothing is left behind then. */
  async next(key: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners);
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        signal.removeEventListener("abort", wake);
        listeners.delete(wake);
        if (listeners.size === 0 && this.#listeners.get(key) === listeners) this.#listeners.delete(key);
        resolve();
      };
      signal.addEventListener("abort", wake);
      listeners.add(wake);
    });
  }

  tell(key: string): void {
    for (const wake of [...(this.#listeners.get(key) ?? [])]) wake();
  }
}

export function isAsSeen(info: SessionInfo | undefined, seen: SeenSession | undefined): boolean {
  return info?.id === seen?.id && info?.seq === seen?.seq && info?.status === seen?.status;
}
