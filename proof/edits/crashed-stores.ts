/**
 * Small stores whose writer was killed, with its journal: everything after the first records is in the journal, and is in the files in full, in part or not
 * at all. Their lines are edited before the store is opened again, so that a recovery replays into edited files.
 */

import { jsonlBackend, openStore, type Store } from "@longhand/store";
import type { Host } from "@longhand/store/testing";
import { buildSample, DIRECTORY, message, type SampleStore } from "../damage/sample-store.ts";

/** Six records are longer than that; a file that begins with a checkpoint and two records is not. */
const SEGMENT_BYTES = 720;

/** How many of the writes after the first ones are in the files. */
type Applied = "all" | "some" | "none";

export async function crashedStores(): Promise<SampleStore[]> {
  return [
    await crashed("killed, applied", 41, "all"),
    await crashed("killed, applied in part", 42, "some"),
    await crashed("killed, not applied", 43, "none"),
    await crashedAfterSeal("killed after a seal", 44, false),
    await crashedAfterSeal("killed after a seal and a compression", 45, true),
  ];
}

/** Lines of one length, so that one stands exactly in the place of another, a longer one, and a batch. */
async function crashed(name: string, seed: number, applied: Applied): Promise<SampleStore> {
  return await killed(name, seed, {}, async (store, holdBack) => {
    const [session, other] = [store.session("a"), store.session("b")];
    if (applied === "none") holdBack();
    await session.append(message("tri"));
    await other.append(message("els"));
    await session.append(message("for"));
    if (applied === "some") holdBack();
    await session.append([message("fiv"), message("a longer one")]);
    await session.append(message("sev"));
    await session.append(message("ate"));
  });
}

/** The journal has records of a file that was sealed since, and of the one behind it, which begins with a checkpoint. */
async function crashedAfterSeal(name: string, seed: number, isCompressed: boolean): Promise<SampleStore> {
  const segmentBytes = isCompressed ? {} : { segmentBytes: SEGMENT_BYTES };
  const sample = await killed(name, seed, segmentBytes, async (store, holdBack) => {
    const session = store.session("a");
    for (const word of ["tri", "for", "fiv", "six"]) await session.append(message(word));
    if (isCompressed) await store.reclaim({ seal: true });
    for (const word of ["sev", "ate"]) await session.append(message(word));
    holdBack();
    await session.append([message("nin"), message("ten"), message("elf")]);
  });
  if (!sample.files.some(({ path }) => path.endsWith(isCompressed ? "/0.jsonl.gz" : "/0.jsonl")))
    throw new Error(`the store "${name}" has no sealed file as it should`);
  return sample;
}

/** The first two records of a session are in no journal. */
async function killed(
  name: string,
  seed: number,
  options: { readonly segmentBytes?: number },
  work: (store: Store, holdBack: () => void) => Promise<void>,
): Promise<SampleStore> {
  const prepare = async (host: Host): Promise<void> => {
    const store = await openStore(jsonlBackend(DIRECTORY, { ...options, host }));
    for (const key of ["a", "b"]) {
      await store.session(key).append(message("one"));
      await store.session(key).append(message("two"));
    }
    await store.close();
  };
  return await buildSample(
    name,
    { ...options, seed, prepare, isKilled: true },
    async ({ store, holdBack }) => {
      // Nothing but the journal is written while it is held back, so the leases are taken before.
      for (const key of ["a", "b"]) await (await store.session(key).lock())[Symbol.asyncDispose]();
      await work(store, holdBack);
    },
  );
}
