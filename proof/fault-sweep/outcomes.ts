/**
 * What became of the steps of a workload, and what a store may show then. The memory backend is the measure: it does the
 * same steps, without those that were refused; where an outcome is unknown, once with the step and once without.
 */

import { isLonghandError, memoryBackend, openStore, type SessionInfo, type Store } from "@longhand/store";
import { performStep } from "../crash-images/perform-step.ts";
import { isReading, type SweepStep, type Workload } from "./workload.ts";

export type Outcome = "done" | "refused" | "unknown";

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
    const unknown = outcomes.flatMap((outcome, index) => (outcome === "unknown" ? [index] : []));
    if (unknown.length > MOST_UNKNOWN) throw new RangeError(`${unknown.length} steps of unknown outcome`);
    const broughtBack = this.#keysBroughtBack(outcomes);
    const found: string[] = [];
    for (let picked = 0; picked < 2 ** unknown.length; picked += 1) {
      const isDone = outcomes.map((outcome, index) =>
        outcome === "unknown" ? (picked >> unknown.indexOf(index)) % 2 === 1 : outcome === "done",
      );
      const contents = await this.#contentsAfter(isDone);
      if (contents !== undefined) found.push(...withBroughtBack(contents, broughtBack));
    }
    return found;
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

  async #contentsAfter(isDone: readonly boolean[]): Promise<Contents | undefined> {
    const name = isDone.map(Number).join("");
    if (!this.#known.has(name)) this.#known.set(name, await this.#replay(isDone));
    return this.#known.get(name);
  }

  async #replay(isDone: readonly boolean[]): Promise<Contents | undefined> {
    const { keys, before, steps } = this.#workload;
    const store = await openStore(memoryBackend());
    try {
      for (const step of before) await performStep(store, step);
      for (const [index, done] of isDone.entries()) {
        const step = steps[index];
        if (done && step !== undefined) await performInMemory(store, step);
      }
    } catch (error) {
      // What was done there can only have been done after something that was not done here.
      if (isLonghandError(error)) return undefined;
      throw error;
    }
    return await readContents(store, keys);
  }
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

function isWrite({ kind }: SweepStep): boolean {
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
async function readContents(store: Store, keys: readonly string[]): Promise<Contents> {
  const contents = new Map<string, Shown>();
  const infos: SessionInfo[] = [];
  for await (const info of store.list({ status: "any" })) if (info.seq > 0) infos.push(info);
  for (const key of keys) {
    const session = store.session(key);
    const records: unknown[] = [];
    for await (const record of session.records()) records.push({ ...record, at: "" });
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
        state: { ...state, id: "", created: "", updated: "", bytes: 0 },
      },
    });
  }
  return contents;
}

function tellContents(contents: Contents): string {
  return JSON.stringify([...contents], undefined, 1);
}

export async function contentsOf(store: Store, keys: readonly string[]): Promise<string> {
  return tellContents(await readContents(store, keys));
}
