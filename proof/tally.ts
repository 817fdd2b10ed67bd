/** What a run has found so far, part by part. */

import { Fingerprints } from "./fingerprints.ts";
import type { Part } from "./part.ts";
import type { Outcome, WorkerMessage } from "./worker-message.ts";

/** `isFailure`: the slice itself could not be run to its end. */
export interface FoundViolation {
  readonly slice: number;
  readonly story: string;
  readonly isFailure: boolean;
}

/** How much was meant to be done: the gate, a small part of it, or as much as there was time for. */
export type Extent = "whole" | "quick" | "interrupted";

export class PartTally {
  readonly part: Part;
  /** Why it is left out on this machine. */
  readonly obstacle: string | undefined;
  readonly notes: string[] = [];
  readonly violations: FoundViolation[] = [];
  control: "not run" | "found" | "missed" | { readonly failed: string } = "not run";
  /** How many slices have ended. */
  slices = 0;
  #nextSlice = 0;
  /** Of its workers that have ended, and when those that run were started. */
  #workedFor = 0;
  readonly #running = new Set<{ readonly at: number }>();
  readonly #counts = new Map<number, Readonly<Record<string, number>>>();
  readonly #distinct = new Map<string, Fingerprints>();

  constructor(part: Part, obstacle: string | undefined) {
    this.part = part;
    this.obstacle = obstacle;
  }

  /** The number of the next slice; each is given out once. */
  nextSlice(): number {
    return this.#nextSlice++;
  }

  /** A worker begins; call what is returned when it ends. */
  begin(): () => void {
    const began = { at: Date.now() };
    this.#running.add(began);
    return () => {
      this.#running.delete(began);
      this.#workedFor += Date.now() - began.at;
    };
  }

  /** Of all its workers, added up. */
  get milliseconds(): number {
    return [...this.#running].reduce((sum, { at }) => sum + Date.now() - at, this.#workedFor);
  }

  hear(slice: number, message: Exclude<WorkerMessage, { kind: "ended" }>): void {
    if (message.kind === "note") {
      this.notes.push(message.line);
      return;
    }
    this.#counts.set(slice, message.counts);
    for (const [name, fingerprints] of Object.entries(message.distinct)) {
      let all = this.#distinct.get(name);
      if (all === undefined) this.#distinct.set(name, (all = new Fingerprints()));
      for (const fingerprint of fingerprints) all.add(fingerprint);
    }
  }

  end(slice: number, outcome: Outcome): FoundViolation | undefined {
    this.slices += 1;
    if (outcome.kind === "kept") return undefined;
    const violation = { slice, story: outcome.story, isFailure: outcome.kind === "failed" };
    this.violations.push(violation);
    return violation;
  }

  endControl(outcome: Outcome): void {
    if (outcome.kind === "failed") this.control = { failed: outcome.story };
    else this.control = outcome.kind === "violated" ? "found" : "missed";
  }

  get counts(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const name of Object.keys(this.part.counts)) {
      counts[name] = this.#distinct.get(name)?.size ?? 0;
      for (const ofSlice of this.#counts.values()) counts[name] += ofSlice[name] ?? 0;
    }
    return counts;
  }

  /** What keeps the part from being proven, in words; empty: nothing. An obstacle is not among them. */
  shortcomings(extent: Extent = "whole"): string[] {
    if (this.obstacle !== undefined) return [];
    return [
      ...this.violations.map(({ isFailure }) => (isFailure ? "a slice failed" : "a promise was not kept")),
      ...this.#short(extent).map(([name, count]) => `${count} ${name}, not ${this.part.counts[name] ?? 0}`),
      ...(this.control === "missed" ? ["its control found nothing, so it proves nothing"] : []),
      ...(this.control === "not run" && extent !== "interrupted" ? ["its control was not run"] : []),
    ];
  }

  #short(extent: Extent): readonly (readonly [string, number])[] {
    const reached = Object.entries(this.counts);
    switch (extent) {
      case "whole":
        return reached.filter(([name, count]) => count < (this.part.counts[name] ?? 0));
      case "quick":
        // A small part of the gate need not reach its figures, only do something.
        return reached.every(([, count]) => count === 0) ? reached : [];
      case "interrupted":
        return [];
    }
  }
}
