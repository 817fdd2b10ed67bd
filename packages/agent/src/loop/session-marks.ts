/**
 * Marks a session as due before its turn is written. A memory that cannot be written, or that another process holds up, does not hold
 * up the turn: that is reported, and the session is marked as soon as the memory can be written.
 */

import type { DueSession } from "@longhand/store/memory";
import { atMost } from "./at-most.ts";
import { dueCode } from "./due-code.ts";
import { reasonOf } from "./reason-of.ts";

const LONGEST_MARK_MS = 2000;
const RETRY_MS = 5000;

export type SessionToMark = Pick<DueSession, "key" | "scope">;

export interface SessionMarksDeps {
  readonly markDue: (session: SessionToMark) => Promise<void>;
  readonly onProblem: (reason: string) => void;
  /** Not called any more once the program ends. */
  readonly later: (milliseconds: number, run: () => void) => void;
}

export class SessionMarks {
  readonly #deps: SessionMarksDeps;
  /** Whose mark is not known to be durable. */
  readonly #unmarked = new Map<string, SessionToMark>();
  readonly #waiting = new Set<string>();

  constructor(deps: SessionMarksDeps) {
    this.#deps = deps;
  }

  /** The mark is durable when it resolves, unless a problem was reported. Never rejects. */
  async mark(session: SessionToMark): Promise<void> {
    this.#unmarked.set(dueCode(session), session);
    if (await atMost(LONGEST_MARK_MS, this.#try(session))) return;
    this.#deps.onProblem(`${session.key} could not be marked within ${LONGEST_MARK_MS / 1000} seconds`);
  }

  /** One more try for each that is not marked, for the end of a program. Never rejects. */
  async markRest(): Promise<void> {
    await Promise.all([...this.#unmarked.values()].map(async (session) => await this.#try(session)));
  }

  async #try(session: SessionToMark): Promise<void> {
    const code = dueCode(session);
    try {
      await this.#deps.markDue(session);
      this.#unmarked.delete(code);
    } catch (error) {
      this.#deps.onProblem(reasonOf(error));
      this.#tryLater(code);
    }
  }

  #tryLater(code: string): void {
    if (this.#waiting.has(code)) return;
    this.#waiting.add(code);
    this.#deps.later(RETRY_MS, () => {
      this.#waiting.delete(code);
      const session = this.#unmarked.get(code);
      if (session !== undefined) void this.#try(session);
    });
  }
}
