/** Whether and when a failed call of a model is tried again. Measures with a clock that only goes forward. */

import type { AgentError, AgentErrorCode } from "../errors.ts";
import { monotonicNow } from "../kernel/monotonic-clock.ts";
import type { RetrySettings } from "./types.ts";

const MAY_PASS: ReadonlySet<AgentErrorCode> = new Set([
  "MODEL_BUSY",
  "MODEL_UNREACHABLE",
  "MODEL_STALLED",
  "MODEL_BROKEN",
  "MODEL_EMPTY",
] as const);
const MOST_EMPTY = 1;

export class RetryPlan {
  readonly #settings: Required<RetrySettings>;
  readonly #begun = monotonicNow();
  #tried = 0;
  #empty = 0;

  constructor(settings: Required<RetrySettings>) {
    this.#settings = settings;
  }

  /** Milliseconds to wait before the next try. `undefined`: there is none. */
  pauseAfter(failure: AgentError, wasShown: boolean): number | undefined {
    const { tries, firstPause, longestPause, total } = this.#settings;
    this.#tried += 1;
    if (!MAY_PASS.has(failure.code) || this.#tried >= tries) return undefined;
    // What was shown cannot be taken back, and a second answer behind it would be read as one. One that has said nothing may.
    if (failure.code === "MODEL_EMPTY") this.#empty += 1;
    else if (wasShown) return undefined;
    if (this.#empty > MOST_EMPTY) return undefined;
    const backOff = firstPause * 2 ** (this.#tried - 1) * (0.5 + Math.random() / 2);
    const pause = Math.round(Math.min(longestPause, Math.max(backOff, retryAfter(failure))));
    return monotonicNow() - this.#begun + pause > total ? undefined : pause;
  }
}

/** What the server has asked for, in milliseconds. */
function retryAfter({ detail }: AgentError): number {
  const asked = detail["retryAfter"];
  return typeof asked === "number" && asked > 0 ? asked : 0;
}
