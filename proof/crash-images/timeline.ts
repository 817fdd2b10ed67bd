/**
 * What each key showed after each step that changed it, in a run that nothing interrupted; and from that, what it may
 * show after a crash: everything that was answered, and of the step that was under way either nothing or all of it.
 */

import type { SessionRecord } from "@longhand/store";
import type { Run, Progress } from "./record-run.ts";
import { changedKeys, type Step, type Workload } from "./step.ts";
import { keyView, readView, type KeyView, type ShownInfo, type View } from "./view.ts";
import { CLOCK_AFTER_CRASH, openOn } from "./world.ts";

export class Timeline {
  /** By key: before its first step, and after each. */
  readonly #views = new Map<string, KeyView[]>();
  readonly #steps = new Map<string, Step[]>();
  /** By session and seq: the records it then had. More than one where old ones were dropped. */
  readonly #records = new Map<string, Set<string>>();

  constructor(workload: Workload, views: readonly View[]) {
    for (const key of workload.keys) {
      const first = views[0]?.get(key);
      if (first === undefined) throw new Error(`${key} was not looked at`);
      const timeline = [first];
      const steps: Step[] = [];
      for (const [index, group] of workload.groups.entries()) {
        const own = group.filter((step) => changedKeys(step)?.includes(key) ?? true);
        const after = views[index + 1]?.get(key);
        if (after === undefined) throw new Error(`${key} was not looked at after group ${index + 1}`);
        if (own.length > 0) timeline.push(...amongAppends(after, own), after);
        steps.push(...own);
      }
      this.#views.set(key, timeline);
      this.#steps.set(key, steps);
      for (const { read, records } of timeline) this.#remember(read, records);
      for (const [index, step] of steps.entries()) {
        const [before, after] = [timeline[index], timeline[index + 1]];
        if (step.kind !== "reclaim" || before === undefined || after === undefined) continue;
        // The record that cuts the view comes first, then what it leaves out is dropped.
        const seen = before.read?.seq ?? 0;
        this.#remember(after.read, [...before.records, ...after.records.filter(({ seq }) => seq > seen)]);
      }
    }
  }

  get keys(): readonly string[] {
    return [...this.#views.keys()];
  }

  /** `undefined`: this may be shown when the work had come so far. Otherwise what is wrong. */
  judge(found: View, progress: ReadonlyMap<string, Progress>): string | undefined {
    for (const [key, view] of found) {
      const wrong = this.#judgeKey(key, view, progress.get(key) ?? { begun: 0, answered: 0 });
      if (wrong !== undefined) return `${key}: ${wrong}`;
    }
    return undefined;
  }

  /** The steps that change a key, in their order. */
  stepsOf(key: string): readonly Step[] {
    return this.#steps.get(key) ?? [];
  }

  /** Before the first of them, and after each. */
  viewsOf(key: string): readonly KeyView[] {
    return this.#views.get(key) ?? [];
  }

  #judgeKey(
    key: string,
    { sessions, read, records, recordsText: text }: KeyView,
    { begun, answered }: Progress,
  ): string | undefined {
    const timeline = this.#views.get(key);
    if (timeline === undefined) return "nobody has written to it";
    const window = timeline.slice(answered, begun + 1);
    const unfinished = (this.#steps.get(key) ?? []).slice(answered, begun);
    const halfway = unfinished.flatMap((step, index) => halfDone(step, window[index], window[index + 1]));
    for (const id of new Set(window.flatMap((view) => [...view.sessions.keys()]))) {
      const isMissing = !sessions.has(id);
      if (isMissing && window.every((view) => view.sessions.has(id)))
        return `session ${id} is gone; it was ${window[0]?.sessions.get(id)?.text ?? ""}`;
    }
    for (const [id, { text }] of sessions) {
      const allowed = window.map((view) => view.sessions.get(id)?.text);
      if (!allowed.includes(text) && !halfway.includes(text))
        return `found ${text}\n  expected one of ${[...allowed, ...halfway].map((each) => each ?? "nothing").join("\n    ")}`;
    }
    const active = [...sessions.values()].filter(({ info }) => info.status === "active");
    if (active.length > 1) return `${active.length} active sessions`;
    if (read === undefined) return records.length === 0 ? undefined : `records without a session: ${text}`;
    const known = read.seq === 0 ? new Set(["[]"]) : this.#records.get(placeOf(read));
    if (known?.has(text) === true) return undefined;
    return `other records: ${text}\n  expected ${[...(known ?? ["nothing"])].join("\n    ")}`;
  }

  #remember(read: ShownInfo | undefined, records: readonly SessionRecord[]): void {
    if (read === undefined) return;
    const known = this.#records.get(placeOf(read));
    const text = JSON.stringify(records);
    if (known === undefined) this.#records.set(placeOf(read), new Set([text]));
    else known.add(text);
  }
}

/** Reads, on the disk as it was after each group, what a store shows. */
export async function makeTimeline(
  workload: Workload,
  { milestones }: Run,
): Promise<{ timeline: Timeline; views: View[] }> {
  const views: View[] = [];
  for (const { capture } of milestones) {
    const machine = capture.afterKill();
    machine.setClock(CLOCK_AFTER_CRASH);
    const { store } = await openOn(machine.startProcess(), workload, true);
    views.push(await readView(store, workload.keys));
  }
  return { timeline: new Timeline(workload, views), views };
}

function placeOf({ id, seq }: ShownInfo): string {
  return `${id}/${seq}`;
}

/** Where several appends to one key were begun together: what it showed after each but the last. */
function amongAppends(after: KeyView, own: readonly Step[]): KeyView[] {
  const views: KeyView[] = [];
  const { read } = after;
  if (own.length < 2 || read === undefined) return views;
  const counts = own.map((step) => (step.kind === "append" ? step.contents.length : 0));
  for (let done = 1; done < own.length; done += 1) {
    const missing = counts.slice(done).reduce((sum, count) => sum + count, 0);
    const records = after.records.slice(0, after.records.length - missing);
    const updated = records.at(-1)?.at ?? read.created;
    const info = { ...read, seq: read.seq - missing, count: read.count - missing, updated };
    const infos = [...after.sessions.values()].map((each) => (each.info.id === read.id ? info : each.info));
    views.push(keyView(infos, records));
  }
  return views;
}

/** What a step passes through on its way, as texts of sessions. Each is a state that a caller could have asked for. */
function halfDone(step: Step, before: KeyView | undefined, after: KeyView | undefined): string[] {
  if (before === undefined || after === undefined) return [];
  const infos: ShownInfo[] = [];
  if (step.kind === "delete forever") {
    // By way of the trash.
    for (const { info } of before.sessions.values()) infos.push({ ...info, status: "trashed" });
  } else if (step.kind !== "fork" && step.kind !== "purge") {
    // Writing to an archived session restores it first; writing to none begins one first.
    if (before.read?.status === "archived") infos.push({ ...before.read, status: "active" });
    for (const [id, { info }] of after.sessions) if (!before.sessions.has(id)) infos.push(unwritten(info));
  }
  return infos.map((info) => JSON.stringify(info));
}

function unwritten({ key, id, created, damaged }: ShownInfo): ShownInfo {
  const nothing = { seq: 0, count: 0, summary: "", tags: [], created, updated: created, bytes: 0 };
  return { key, id, status: "active", ...nothing, damaged };
}
