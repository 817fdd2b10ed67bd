/**
 * What became of the steps of a workload, and what a store may show then. The memory backend is the measure: it does the
 * same steps, without those that were refused; where an outcome is unknown, once with the step and once without.
 */

import { isLonghandError, memoryBackend, openStore, type SessionInfo, type Store } from "@longhand/store";
import { performStep } from "../crash-images/perform-step.ts";
import { droppedBelow, isReading, type Outcome, type SweepStep, type Workload } from "./workload.ts";

type Done = "no" | "half" | "yes";

/** More steps of unknown outcome than this there never are: a store that has failed is opened again before the next. */
const MOST_UNKNOWN = 6;

export class Measure {
  readonly #workload: Workload;
  /** By which steps were done. `undefined`: that cannot be. */
  readonly #known = new Map<string, Contents | undefined>();

  constructor(workload: Workload) {
    this.#workload = workload;
  }

  /** What may be found after these outcomes of the first steps. */
  async possible(outcomes: readonly Outcome[]): Promise<readonly string[]> {
    const unknown = outcomes.filter((outcome) => outcome === "unknown").length;
    if (unknown > MOST_UNKNOWN) throw new RangeError(`${unknown} steps of unknown outcome`);
    const broughtBack = this.#keysBroughtBack(outcomes);
    const found: string[] = [];
    for (const done of this.#waysItWent(outcomes)) {
      const contents = await this.#contentsAfter(done);
      if (contents !== undefined) found.push(...withBroughtBack(contents, broughtBack));
    }
    return found;
  }

  /** Each unknown step once not done and once done; one that is done in pieces also in the middle. */
  #waysItWent(outcomes: readonly Outcome[]): readonly (readonly Done[])[] {
    let ways: (readonly Done[])[] = [[]];
    for (const [index, outcome] of outcomes.entries()) {
      const inPieces = this.#workload.steps[index]?.kind === "delete forever";
      const open: readonly Done[] = inPieces ? ["no", "half", "yes"] : ["no", "yes"];
      const own: readonly Done[] = outcome === "unknown" ? open : [outcome === "done" ? "yes" : "no"];
      ways = ways.flatMap((way) => own.map((done) => [...way, done]));
    }
    return ways;
  }

  /** A write that fails may have brought an archived session back before. */
  #keysBroughtBack(outcomes: readonly Outcome[]): ReadonlySet<string> {
    const keys = new Set<string>();
    for (const [index, outcome] of outcomes.entries()) {
      const step = this.#workload.steps[index];
      if (step === undefined || !("key" in step)) continue;
      if (outcome === "done" && step.kind === "archive") keys.delete(step.key);
      if (outcome !== "done" && isWrite(step)) keys.add(step.key);
    }
    return keys;
  }

  async #contentsAfter(way: readonly Done[]): Promise<Contents | undefined> {
    const name = way.join(" ");
    if (!this.#known.has(name)) this.#known.set(name, await this.#replay(way));
    return this.#known.get(name);
  }

  async #replay(way: readonly Done[]): Promise<Contents | undefined> {
    const { before, steps } = this.#workload;
    const store = await openStore(memoryBackend());
    try {
      for (const step of before) await performStep(store, step);
      for (const [index, done] of way.entries()) {
        const step = steps[index];
        if (done !== "no" && step !== undefined)
          await performInMemory(store, done === "half" ? halfOf(step) : step);
      }
    } catch (error) {
      // What was done there can only have been done after something that was not done here.
      if (isLonghandError(error)) return undefined;
      throw error;
    }
    return await readContents(store, this.#workload);
  }
}

/** What is deleted for ever is in the trash before it is gone. */
function halfOf(step: SweepStep): SweepStep {
  return step.kind === "delete forever" ? { kind: "delete", key: step.key } : step;
}

async function performInMemory(store: Store, step: SweepStep): Promise<void> {
  if (step.kind === "neighbour") {
    await performStep(store, { kind: "append", key: step.key, contents: step.contents });
  } else if (!isReading(step) && step.kind !== "reclaim") {
    await performStep(store, step).catch((error: unknown) => {
      // A session whose first write was refused may be there all the same, with nothing in it.
      if (isWrite(step) || !isLonghandError(error, "SESSION_NOT_FOUND")) throw error;
    });
  }
}

export function isWrite({ kind }: SweepStep): boolean {
  const others: readonly SweepStep["kind"][] = ["archive", "restore", "delete", "delete forever", "fork"];
  return !others.includes(kind);
}

/** Once as they are, and once with each of these keys active that is archived. */
function withBroughtBack(contents: Contents, keys: ReadonlySet<string>): string[] {
  let all: Contents[] = [contents];
  for (const [key, { status }] of contents) {
    if (status !== "archived" || !keys.has(key)) continue;
    all = all.flatMap((one) => [one, new Map(one).set(key, { ...shownIn(one, key), status: "active" })]);
  }
  return all.map(tellContents);
}

function shownIn(contents: Contents, key: string): Shown {
  const shown = contents.get(key);
  if (shown === undefined) throw new RangeError(`${key} is not among the keys`);
  return shown;
}

interface Shown {
  readonly status: string;
  readonly seqs: readonly string[];
  readonly seen: unknown;
}

type Contents = ReadonlyMap<string, Shown>;

/** Everything that is shown of these keys, but for times, ids and sizes. What has no record is as good as not there. */
async function readContents(store: Store, workload: Workload): Promise<Contents> {
  const contents = new Map<string, Shown>();
  // What was spoiled beforehand is counted until it is mended.
  const spoiled = workload.isSpoiled === true ? { damaged: 0 } : {};
  const infos: SessionInfo[] = [];
  for await (const info of store.list({ status: "any" })) if (info.seq > 0) infos.push(info);
  for (const key of workload.keys) {
    const session = store.session(key);
    const records: unknown[] = [];
    for await (const record of session.records())
      if (record.seq >= droppedBelow(workload)) records.push({ ...record, at: "" });
    const info = await session.state();
    const { status = "nothing", ...state } = info !== undefined && info.seq > 0 ? info : {};
    const own = infos.filter((each) => each.key === key);
    contents.set(key, {
      status,
      // Of those that lie beside it only whether they are there.
      seqs: own
        .map(({ seq, count, status: of }) => `${of === "trashed" ? of : "kept"} ${seq} ${count}`)
        .sort(),
      seen: {
        records,
        messages: await session.messages(),
        state: { ...state, id: "", created: "", updated: "", bytes: 0, ...spoiled },
      },
    });
  }
  return contents;
}

function tellContents(contents: Contents): string {
  return JSON.stringify([...contents], undefined, 1);
}

export async function contentsOf(store: Store, workload: Workload): Promise<string> {
  return tellContents(await readContents(store, workload));
}
