/**
 * A worker: one slice of one part, in a process of its own.
 *
 *     node proof/dist/work.js PART SLICE SEED          exit code 0: every promise kept
 *     node proof/dist/work.js PART SLICE SEED fixed    the same, without what is drawn by chance
 *     node proof/dist/work.js PART control SEED        1: a violation, told on stderr; 3: the part itself has failed
 *
 * Started by a run, it tells it what it counts and how it ended, and ends with 0.
 */

import process from "node:process";
import { Fingerprints } from "./fingerprints.ts";
import { Violation, type Findings, type Part, type Slice } from "./part.ts";
import { PARTS } from "./parts.ts";
import { FIXED_ONLY, type Outcome, type WorkerMessage } from "./worker-message.ts";

const TELL_EVERY = 500;
const EXIT_CODES = { kept: 0, violated: 1, failed: 3 } as const;

/** Collects what is counted, and tells it now and then. */
class Counted implements Findings {
  readonly #counts: Record<string, number> = {};
  readonly #fresh = new Map<string, bigint[]>();
  readonly #seen = new Map<string, Fingerprints>();
  #toldAt = Date.now();

  readonly count = (name: string, by = 1): void => {
    this.#counts[name] = (this.#counts[name] ?? 0) + by;
    this.#tellNowAndThen();
  };

  readonly distinct = (name: string, fingerprint: bigint): void => {
    let seen = this.#seen.get(name);
    if (seen === undefined) this.#seen.set(name, (seen = new Fingerprints()));
    if (!seen.add(fingerprint)) return;
    const fresh = this.#fresh.get(name);
    if (fresh === undefined) this.#fresh.set(name, [fingerprint]);
    else fresh.push(fingerprint);
    this.#tellNowAndThen();
  };

  readonly note = (line: string): void => {
    tell({ kind: "note", line });
  };

  /** No timer would do: a part on a simulated machine never waits for anything real. */
  #tellNowAndThen(): void {
    if (Date.now() - this.#toldAt >= TELL_EVERY) this.tell();
  }

  tell(): void {
    this.#toldAt = Date.now();
    const distinct = Object.fromEntries(
      [...this.#fresh].map(([name, fresh]) => [name, BigUint64Array.from(fresh)] as const),
    );
    this.#fresh.clear();
    tell({ kind: "counted", counts: { ...this.#counts }, distinct });
  }
}

function tell(message: WorkerMessage): void {
  process.send?.(message);
}

async function work(
  part: Part,
  slice: string,
  { seed, isFixedOnly }: Required<Omit<Slice, "number">>,
  findings: Findings,
): Promise<Outcome> {
  try {
    if (slice === "control") await part.control(findings);
    else await part.run({ seed, number: Number(slice), isFixedOnly }, findings);
    return { kind: "kept" };
  } catch (error) {
    if (error instanceof Violation) return { kind: "violated", story: error.message };
    return { kind: "failed", story: error instanceof Error ? String(error.stack) : String(error) };
  }
}

const [name = "", slice = "0", seed = "1", extent = "all"] = process.argv.slice(2);
const part = PARTS.find((each) => each.name === name);
if (part === undefined)
  throw new Error(`There is no part ${name}: ${PARTS.map((each) => each.name).join(", ")}`);
const counted = new Counted();
const outcome = await work(part, slice, { seed: Number(seed), isFixedOnly: extent === FIXED_ONLY }, counted);
counted.tell();
tell({ kind: "ended", outcome });
if (process.send === undefined) {
  if (outcome.kind !== "kept") console.error(outcome.story);
  process.exitCode = EXIT_CODES[outcome.kind];
} else {
  process.disconnect();
}
