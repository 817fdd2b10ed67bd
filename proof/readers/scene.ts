/** A store with two sessions that readers know word by word, made once for each mover and used again as it was. */

import { jsonlBackend, openStore, type Store } from "@longhand/store";
import { SimulatedMachine, type Capture, type Host } from "@longhand/store/testing";
import type { Mover } from "./movers.ts";

export const DIRECTORY = "/s";
/** So short that session `a` has sealed files. */
const SEGMENT_BYTES = 700;
export const MESSAGES = 12;

export interface Scene {
  readonly capture: Capture;
  /** Of every session that there is when the reader begins. */
  readonly ids: readonly string[];
  /** The session of `a` that is written to last. */
  readonly idOfA: string;
}

export async function openSceneStore(host: Host, readOnly: boolean, problems: string[] = []): Promise<Store> {
  return await openStore(jsonlBackend(DIRECTORY, { host, segmentBytes: SEGMENT_BYTES }), {
    readOnly,
    onDamage: (damage) => problems.push(`damage: ${JSON.stringify(damage)}`),
    onError: (error) => problems.push(`an error: ${error.message}`),
  });
}

export function contentOf(key: string, seq: number): string {
  return `word ${key} ${seq}`;
}

export async function prepareScene({ prepare }: Mover): Promise<Scene> {
  const machine = new SimulatedMachine(1);
  const store = await openSceneStore(machine.startProcess(), false);
  for (const key of ["a", "b"]) {
    for (let seq = 1; seq <= MESSAGES; seq++)
      await store.session(key).append({ role: "user", content: contentOf(key, seq) });
  }
  const idOfA = (await store.session("a").state())?.id ?? "";
  await prepare(store);
  const ids: string[] = [];
  for await (const { id } of store.list({ status: "any" })) ids.push(id);
  await store.close();
  return { capture: machine.capture(), ids, idOfA };
}
