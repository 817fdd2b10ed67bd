/**
 * Small stores whose lines are edited: records of every kind, batches, cuts, checkpoints of this version and of earlier ones, sealed and compressed files, forks, sessions put away, and a
 * file that was repaired.
 */

import type { Session, Store } from "@longhand/store";
import { buildSample, DIRECTORY, message, type SampleStore } from "../damage/sample-store.ts";
import { filesUnder, putFile } from "../damage/simulated-files.ts";
import { statesOf, withCheckpoints } from "./forged-checkpoints.ts";

const SEGMENT_BYTES = 400;
/** Each write begins a new file. */
const TINY_BYTES = 1;

export async function editedStores(): Promise<SampleStore[]> {
  return [
    await forged("records", 31, kinds, { every: 3, isOld: false }),
    await forged("batches", 32, batches, { every: 2, isOld: false }),
    await forged("earlier version", 33, batches, { every: 2, isOld: true }),
    await segments(),
    await forks(),
    await putAway(),
    await repaired(),
  ];
}

async function forged(
  name: string,
  seed: number,
  work: (session: Session) => Promise<void>,
  as: { readonly every: number; readonly isOld: boolean },
): Promise<SampleStore> {
  const run = async ({ store }: { readonly store: Store }): Promise<void> => await work(store.session("a"));
  const sealed = await buildSample(name, { seed, segmentBytes: TINY_BYTES }, run);
  return await withCheckpoints(await buildSample(name, { seed }, run), statesOf(sealed), as);
}

async function kinds(session: Session): Promise<void> {
  await session.append(message("one"), { id: "first" });
  await session.append(message("two"));
  await session.note("usage", { tokens: 3 });
  await session.setTitle("A title");
  await session.append(message("three"));
  await session.truncate({ keepLast: 2 });
  await session.append(message("four"));
  await session.rewind({ messages: 1 });
  await session.setSummary("so far");
  await session.append(message("five"));
  await session.compact({ summary: "all of it", keepFrom: 5 });
  await session.append(message("six"));
  await session.setTags(["x"]);
  await session.append(message("ten"));
}

async function batches(session: Session): Promise<void> {
  await session.append(message("one"));
  await session.append([message("a"), message("b")]);
  await session.append(message("two"));
  await session.append([message("c"), message("d"), message("e")], { id: "batch" });
  await session.append(message("six"));
  await session.append([message("f"), message("g"), message("h"), message("i")]);
  await session.append(message("ten"));
  // The last one moves what the sealed files know one write on: they begin with the state after it.
  await session.append([message("j"), message("k")]);
}

async function segments(): Promise<SampleStore> {
  return await buildSample("segments", { seed: 34, segmentBytes: SEGMENT_BYTES }, async ({ store }) => {
    const session = store.session("long");
    for (const word of ["one", "two", "three", "four", "five"]) await session.append(message(word));
    await store.reclaim();
    await session.append([message("six"), message("seven")]);
    await session.append(message("eight"));
  });
}

async function forks(): Promise<SampleStore> {
  return await buildSample("forks", { seed: 35 }, async ({ store }) => {
    await store.session("parent").append([message("one"), message("two"), message("three")]);
    await store.session("parent").append(message("four"));
    const child = await store.session("parent").fork("child", { at: 2 });
    await child.append(message("other"));
    await store.session("parent").append(message("five"));
  });
}

async function putAway(): Promise<SampleStore> {
  return await buildSample("put away", { seed: 36 }, async ({ store, remember }) => {
    await store.session("archived").append([message("kept"), message("well")]);
    await store.session("archived").append(message("so"));
    await store.session("archived").archive();
    await store.session("thrown").append(message("gone"));
    await store.session("thrown").append(message("away"));
    await remember("thrown");
    await store.session("thrown").delete();
    await store.session("thrown").append(message("anew"));
  });
}

/** Two records were damaged and taken out: lines say which, one of them within a batch. */
async function repaired(): Promise<SampleStore> {
  return await buildSample("repaired", { seed: 37 }, async ({ store, host }) => {
    const session = store.session("mended");
    for (const word of ["one", "two", "three"]) await session.append(message(word));
    await session.append([message("a"), message("b"), message("c")]);
    await session.append(message("last"));
    await session.archive();
    for (const { path, bytes } of await filesUnder(host, `${DIRECTORY}/archive`)) {
      for (const word of ["say two", "say b"]) bytes.write("!", bytes.indexOf(word));
      await putFile(host, path, bytes);
    }
    await store.repair();
    await session.restore();
    await session.append(message("after"));
  });
}
