/**
 * Whole stores to take files from: many small sessions of every kind; a journal of a killed writer, under several names;
 * and what other programs leave. Small files: most of what can go wrong is in their structure.
 */

import { SimulatedMachine, type Capture, type SeededRandom } from "@longhand/store/testing";
import {
  buildSample,
  DIRECTORY,
  message,
  type SampleFile,
  type SampleStore,
} from "../damage/sample-store.ts";
import { putFile } from "../damage/simulated-files.ts";

/** The store as it is on the disk, and which of its files are mutated, under which names. */
export interface Corpus {
  readonly sample: SampleStore;
  readonly files: readonly SampleFile[];
}

const SESSIONS = 30;

export async function sessionCorpus(random: SeededRandom): Promise<Corpus> {
  const options = { seed: random.below(2 ** 32), segmentBytes: 700 };
  const sample = await buildSample("sessions", options, async ({ store, remember }) => {
    for (let number = 0; number < SESSIONS; number++) {
      const session = store.session(number % 3 === 0 ? `chat:${number}` : `s${number}`);
      await session.append(message(`one ${number}`), { id: "x" });
      if (number % 2 === 0) await session.append([message("two"), message("three")]);
      if (number % 3 === 0) await session.note("usage", { number });
      if (number % 4 === 0) await session.setTitle(`title ${number}`);
      if (number % 5 === 0) await session.compact({ summary: `summary ${number}`, keepFrom: 1 });
      if (number % 6 === 0)
        for (let more = 0; more < 6; more++) await session.append(message(`more ${more}`));
      if (number % 7 === 0) await session.rewind({ messages: 1 });
      if (number % 10 === 9) await session.archive();
      if (number % 10 === 8) {
        await remember(session.key);
        await session.delete();
      }
    }
    await store.reclaim();
    await store.session("s1").fork("child");
    await store.session("chat:0").fork("grown", { at: 4 });
    await store.session("grown").append(message("own"));
  });
  return { sample, files: sample.files.filter(({ owners }) => owners.size > 0) };
}

const JOURNALS = 12;

export async function journalCorpus(random: SeededRandom): Promise<Corpus> {
  const options = { seed: random.below(2 ** 32), isKilled: true, journalBytes: 500 + random.below(4000) };
  const sample = await buildSample("journals", options, async ({ store, holdBack }) => {
    for (const key of ["a", "b", "c"]) await store.session(key).append(message(`landed ${key}`));
    await store.session("a").append(message("landed"));
    holdBack();
    await store.session("a").append([message("one"), message("two")]);
    await Promise.all(["b", "c"].map((key) => store.session(key).append(message(`together ${key}`))));
    await store.session("c").append(message("last"));
  });
  const owned = sample.files.filter(({ owners }) => owners.size > 0);
  const journal = owned.find(({ path }) => path.endsWith(".journal"));
  if (journal === undefined) throw new Error("the killed writer has left no journal");
  // Each name is that of an instance; all of them say the same, which is allowed.
  const copies = Array.from({ length: JOURNALS }, (_, number) => ({
    ...journal,
    path: journal.path.replace(/[0-9A-Z]{4}\.journal$/, `ZZ${String(number).padStart(2, "0")}.journal`),
  }));
  return { sample, files: [...owned.filter((file) => file !== journal), ...copies] };
}

const FOREIGN_COPIES = 4;

/** As picoclaw, zeroclaw and the micro-kernel write them; one file or two for each session. */
export function foreignCorpus(): readonly { readonly path: string; readonly bytes: Buffer }[] {
  const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
  const time = "2026-04-03T07:00:00.100200301+02:00";
  const call = { id: "call_1", type: "function", function: { name: "read", arguments: '{"path":"m.md"}' } };
  const files: { path: string; bytes: Buffer }[] = [];
  const add = (name: string, text: string): void => {
    files.push({ path: `${DIRECTORY}/${name}`, bytes: Buffer.from(text) });
  };
  for (let number = 0; number < FOREIGN_COPIES; number++) {
    const said = { role: "user", content: `say ${number}`, created_at: time };
    const called = { role: "assistant", content: "", created_at: time, tool_calls: [call] };
    const answered = { role: "tool", content: "say milk", created_at: time, tool_call_id: "call_1" };
    add(
      `whole_${number}.json`,
      JSON.stringify({
        key: `whole:${number}`,
        messages: [said, called, answered],
        summary: "so far",
        created: time,
        updated: time,
      }),
    );
    add(`pico_${number}.jsonl`, line(said) + line(called) + line(answered));
    const meta = {
      key: `pico:${number}`,
      summary: "s",
      skip: 1,
      count: 3,
      created_at: time,
      updated_at: time,
    };
    add(`pico_${number}.meta.json`, JSON.stringify({ ...meta, aliases: [`agent:${number}`] }));
    const text = JSON.stringify({ content: "", tool_calls: [{ id: "c", name: "web", arguments: "{}" }] });
    add(
      `claw_${number}.jsonl`,
      line({ role: "user", content: "say hi" }) + line({ role: "assistant", content: text }),
    );
    add(`run_${number}.jsonl`, line({ role: "user", content: "say run", timestamp: time }));
    add(`run_${number}.jsonl.archived`, line({ role: "assistant", content: "say old", timestamp: time }));
    add(`state_${number}.json`, JSON.stringify({ version: 1, history: [said, answered] }));
  }
  return files;
}

/** A machine with an empty directory. */
export async function emptyMachine(seed: number): Promise<Capture> {
  const machine = new SimulatedMachine(seed);
  await putFile(machine.startProcess(), `${DIRECTORY}/README.txt`, Buffer.from("not a session\n"));
  return machine.capture();
}
