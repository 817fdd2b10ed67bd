/** A workload as one process asks for it whose calls fail, and what it was told. */

import { inspect } from "node:util";
import { isLonghandError, type Store } from "@longhand/store";
import type { Host, SimulatedMachine } from "@longhand/store/testing";
import { performStep } from "../crash-images/perform-step.ts";
import { open, tellDifference } from "./examine.ts";
import { contentsOf, isWrite } from "./outcomes.ts";
import {
  type Outcome,
  isReading,
  mayBeSpoiled,
  tellStep,
  type ReadingStep,
  type SweepStep,
  type Workload,
} from "./workload.ts";

/** What a store may show after these outcomes. */
type Possible = (outcomes: readonly Outcome[]) => Promise<readonly string[]>;

/** A store that has failed is opened again; if that fails, that was all. */
export class Asked {
  wrong: string | undefined;
  readonly #workload: Workload;
  readonly #machine: SimulatedMachine;
  readonly #host: Host;
  readonly #outcomes: Outcome[] = [];
  readonly #told: string[] = [];
  readonly #reports: string[] = [];
  #store: Store | undefined;
  #isUnderWay = false;
  /** The last repair. */
  #hasLeftSomething = false;
  #isOver = false;

  constructor(workload: Workload, machine: SimulatedMachine, host: Host) {
    this.#workload = workload;
    this.#machine = machine;
    this.#host = host;
  }

  /** The step that is under way is the last. */
  end(): void {
    this.#isOver = true;
  }

  #mustEnd(): boolean {
    return this.#isOver || this.wrong !== undefined;
  }

  /** Of a step that is under way nobody knows. */
  soFar(): readonly Outcome[] {
    return this.#isUnderWay ? [...this.#outcomes, "unknown"] : [...this.#outcomes];
  }

  tell(): string {
    return this.#told.join("\n");
  }

  async run(possible: Possible): Promise<void> {
    for (const step of this.#workload.steps) {
      if (step.kind === "reopen") await this.#close();
      await this.#openIfNeeded();
      if (this.#mustEnd() || (this.#store === undefined && step.kind !== "neighbour")) break;
      this.#isUnderWay = true;
      const outcome = await this.#outcomeOf(step, async () => await this.#perform(step, possible));
      this.#isUnderWay = false;
      this.#outcomes.push(outcome);
      if (outcome === "unknown") await this.#close();
      if (this.#mustEnd()) break;
    }
    await this.#close();
  }

  async #perform(step: SweepStep, possible: Possible): Promise<void> {
    const store = this.#store;
    if (step.kind === "neighbour") await this.#runNeighbour(step.key, step.contents);
    else if (store === undefined) return;
    else if (isReading(step)) await this.#read(store, step, possible);
    else if (step.kind === "repair") await this.#repair(store);
    else await performStep(store, step);
  }

  async #read(store: Store, { kind }: ReadingStep, possible: Possible): Promise<void> {
    if (kind === "search") await store.search("so on");
    if (kind === "verify") await this.#verify(store);
    if (kind !== "read") return;
    const reported = this.#reports.length;
    const found = await contentsOf(store, this.#workload);
    const expected = await possible(this.#outcomes);
    // A listing leaves out what cannot be read, and says so.
    if (!expected.includes(found) && this.#reports.length === reported)
      this.wrong = `a read: ${tellDifference(found, expected)}`;
  }

  /** What it may not read it cannot mend, and names. */
  async #repair(store: Store): Promise<void> {
    const { damage } = await store.repair();
    this.#hasLeftSomething = damage.some(({ notPermitted }) => notPermitted === true);
  }

  /** It names what it may not read as well, with the system's code. */
  async #verify(store: Store): Promise<void> {
    const damage = (await store.verify()).damage.filter(({ notPermitted }) => notPermitted !== true);
    if (damage.length === 0 || mayBeSpoiled(this.#workload, this.#outcomes)) return;
    this.wrong = `verify finds damage where a call has failed: ${inspect(damage)}`;
  }

  /** Beside one whose disk fails, others go on as if nothing were. */
  async #runNeighbour(key: string, contents: readonly string[]): Promise<void> {
    const process = this.#machine.startProcess();
    const store = await open(process, this.#workload);
    await performStep(store, { kind: "append", key, contents });
    process.kill();
  }

  async #outcomeOf(step: SweepStep, perform: () => Promise<void>): Promise<Outcome> {
    const reported = this.#reports.length;
    const outcome = await perform().then(
      // What cannot be read stays in the trash, or as damaged as it is, and is reported.
      (): Outcome => {
        if (step.kind === "repair" && this.#hasLeftSomething) return "unknown";
        return step.kind === "purge" && this.#reports.length > reported ? "unknown" : "done";
      },
      (error: unknown): Outcome => {
        this.#told.push(`    ${String(error)}`);
        if (!isLonghandError(error)) this.wrong ??= `${tellStep(step)}: not a typed error: ${inspect(error)}`;
        else if (step.kind === "neighbour" && error.code !== "SESSION_LOCKED")
          this.wrong ??= `${tellStep(step)}: fails though its disk does not: ${inspect(error)}`;
        // What is removed for good goes piece by piece: asked for again, the rest goes.
        const isInPieces = step.kind === "purge" || step.kind === "delete forever";
        // A session is moved before its directory is synced: if that cannot be opened, whether it has moved is unknown.
        const isMoved = !isWrite(step) && isLonghandError(error) && error.detail["names"] === "unknown";
        const isOpen = isLonghandError(error, "STORE_FAILED") || isInPieces || isMoved;
        return isOpen ? "unknown" : "refused";
      },
    );
    this.#told.push(`  ${tellStep(step)}: ${outcome}`);
    return outcome;
  }

  /** Once more, if it fails: what failed once has passed then. */
  async #openIfNeeded(): Promise<void> {
    for (let tries = 2; tries > 0 && this.#store === undefined && !this.#mustEnd(); tries -= 1) {
      try {
        this.#store = await open(this.#host, this.#workload, this.#reports);
      } catch (error) {
        this.#tellFailure("openStore", error);
      }
    }
  }

  async #close(): Promise<void> {
    const store = this.#store;
    this.#store = undefined;
    await store?.close().catch((error: unknown) => this.#tellFailure("close", error));
  }

  #tellFailure(what: string, error: unknown): void {
    this.#told.push(`  ${what}: ${String(error)}`);
    if (!isLonghandError(error)) this.wrong ??= `${what}: not a typed error: ${inspect(error)}`;
  }
}
