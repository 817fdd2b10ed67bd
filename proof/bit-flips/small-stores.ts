/**
 * Small stores with a file of every kind: records of every kind, sealed and compressed segments, forks, archive, trash,
 * what is left of removed sessions, journals of a killed writer with records that have not landed, leases, aliases.
 * Several small ones instead of one: each is read whole for each flipped bit.
 */

import { putFile } from "../damage/simulated-files.ts";
import { buildSample, DIRECTORY, message, type SampleStore } from "../damage/sample-store.ts";

const SEGMENT_BYTES = 400;

export async function smallStores(): Promise<SampleStore[]> {
  return [
    await records(),
    await segments(),
    await forks(),
    await putAway(),
    await journal(),
    await journalBegunAnew(),
    await aliases(),
  ];
}

async function records(): Promise<SampleStore> {
  return await buildSample("records", { seed: 11 }, async ({ store }) => {
    const session = store.session("user:é");
    await session.append(message("one"), { id: "first" });
    await session.append(message("four"));
    await session.note("usage", { tokens: 3 });
    await session.setTitle("A title");
    await session.truncate({ keepLast: 1 });
    await session.rewind({ to: 3 });
    await session.compact({ summary: "so far", keepFrom: 2 });
    await session.append([message("five"), message("six")]);
  });
}

async function segments(): Promise<SampleStore> {
  const options = { seed: 12, segmentBytes: SEGMENT_BYTES };
  return await buildSample("segments", options, async ({ store }) => {
    for (const word of ["one", "two", "three", "four", "five"]) {
      await store.session("long").append(message(word));
    }
    await store.reclaim();
    await store.session("long").append(message("six"));
  });
}

async function forks(): Promise<SampleStore> {
  return await buildSample("forks", { seed: 13 }, async ({ store }) => {
    await store.session("parent").append([message("one"), message("two")]);
    const child = await store.session("parent").fork("child", { at: 1 });
    await child.append(message("other"));
    await store.session("parent").append(message("three"));
  });
}

async function putAway(): Promise<SampleStore> {
  return await buildSample("put away", { seed: 14 }, async ({ store, remember }) => {
    await store.session("archived").append(message("kept"));
    await store.session("archived").archive();
    await store.session("thrown").append(message("gone"));
    await remember("thrown");
    await store.session("thrown").delete();
    await store.session("thrown").append(message("anew"));
    await store.session("removed").append(message("never"));
    await store.session("removed").delete({ forever: true });
  });
}

async function journal(): Promise<SampleStore> {
  return await buildSample("journal", { seed: 15, isKilled: true }, async ({ store, holdBack }) => {
    await store.session("a").append(message("landed"));
    holdBack();
    await store.session("a").append([message("one"), message("two")]);
    await store.session("a").append(message("three"));
  });
}

/** The head has two generations, and old blocks lie behind the new ones. */
async function journalBegunAnew(): Promise<SampleStore> {
  const options = { seed: 16, isKilled: true, journalBytes: 400 };
  return await buildSample("journal begun anew", options, async ({ store, holdBack }) => {
    for (const word of ["one", "two"]) await store.session("a").append(message(word));
    holdBack();
    await store.session("a").append(message("five"));
  });
}

async function aliases(): Promise<SampleStore> {
  const lines = [
    { role: "user", content: message("old").content, created_at: "2026-04-03T07:00:00Z" },
    { role: "assistant", content: message("older").content, created_at: "2026-04-03T07:01:00Z" },
  ];
  const times = { created_at: "2026-04-03T07:00:00Z", updated_at: "2026-04-03T07:01:00Z" };
  const meta = { key: "sk_1", summary: "", skip: 0, count: 2, ...times, aliases: ["agent:main"] };
  const options = {
    seed: 17,
    aliases: { "agent:main": "sk_1" },
    prepare: async (host: Parameters<typeof putFile>[0]) => {
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
      await putFile(host, `${DIRECTORY}/sk_1.jsonl`, Buffer.from(text));
      await putFile(host, `${DIRECTORY}/sk_1.meta.json`, Buffer.from(JSON.stringify(meta)));
    },
  };
  const sample = await buildSample("aliases", options, async ({ store }) => {
    await store.session("agent:main").append(message("new"));
  });
  // Its session is like any other.
  return { ...sample, files: sample.files.filter(({ path }) => !path.endsWith(".jsonl")) };
}
