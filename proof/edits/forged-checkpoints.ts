/**
 * Checkpoints after every few records, in files of a few hundred bytes: the store itself writes one about every 256 KiB. Their states are taken from the store, which
 * puts one at the beginning of each sealed file; where they stand, and their sums, are by docs/format.md.
 */

import { crc32 } from "node:zlib";
import type { SampleFile, SampleStore } from "../damage/sample-store.ts";
import { putFile } from "../damage/simulated-files.ts";
import { linesOf } from "./line-files.ts";

type State = Readonly<Record<string, unknown>>;

/** By seq. `sealed`: the same work, done with files so small that each write begins a new one. */
export function statesOf(sealed: SampleStore): ReadonlyMap<number, State> {
  const states = new Map<number, State>();
  for (const { path, bytes } of sealed.files) {
    if (!path.endsWith(".jsonl")) continue;
    for (const line of linesOf(bytes)) {
      const { checkpoint } = JSON.parse(line.toString()) as { readonly checkpoint?: State };
      if (checkpoint !== undefined) states.set(Number(checkpoint["seq"]), checkpoint);
    }
  }
  return states;
}

export interface ForgedAs {
  readonly every: number;
  /** As an earlier version has written them: without saying where. */
  readonly isOld: boolean;
}

/** The store with a checkpoint behind every so-manieth write of its only session. */
export async function withCheckpoints(
  sample: SampleStore,
  states: ReadonlyMap<number, State>,
  as: ForgedAs,
): Promise<SampleStore> {
  const machine = sample.capture.afterKill();
  const files: SampleFile[] = [];
  for (const file of sample.files) {
    const [id] = file.owners;
    const isSession = id !== undefined && file.path.endsWith(".jsonl");
    const bytes = isSession ? insertCheckpoints(file.bytes, states, id, as) : file.bytes;
    if (isSession) await putFile(machine.startProcess(), file.path, bytes);
    files.push({ ...file, bytes });
  }
  return { ...sample, files, capture: machine.capture() };
}

function insertCheckpoints(
  bytes: Buffer,
  states: ReadonlyMap<number, State>,
  id: string,
  { every, isOld }: ForgedAs,
): Buffer {
  let file: Buffer = Buffer.alloc(0);
  let writes = 0;
  for (const line of linesOf(bytes)) {
    file = Buffer.concat([file, line]);
    const { seq, at } = JSON.parse(line.toString()) as { readonly seq?: number; readonly at: string };
    const state = seq === undefined ? undefined : states.get(seq);
    if (state === undefined) continue;
    writes += 1;
    if (writes % every !== 0) continue;
    const place = { offset: file.length, before: line.toString("latin1", line.length - 11, line.length - 3) };
    const content = { checkpoint: { ...state, updated: at }, sum: hex(crc32(file)), ...(isOld ? {} : place) };
    const covered = JSON.stringify(content).slice(0, -1);
    const sealed = `${covered},"crc":"${hex(crc32(covered, crc32(id)))}"}\n`;
    file = Buffer.concat([file, Buffer.from(sealed)]);
  }
  return file;
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, "0");
}
