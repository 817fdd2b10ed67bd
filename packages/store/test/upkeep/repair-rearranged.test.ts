/**
 * Some lines of a small file in any order: a repair serves every record whose line is there, names every other record that one of these lines speaks of,
 * and the seq of none is given again.
 */

import { expect, test } from "vitest";
import { jsonlBackend, openStore, type Store } from "../../src/index.ts";
import { SimulatedMachine, type Capture, type Host } from "../../src/testing/index.ts";
import { recordsOf, user } from "../support/conversation.ts";
import { DIRECTORY, readSimulatedFile, writeSimulatedFile } from "../support/simulated-store.ts";

const PATH = `${DIRECTORY}/k.jsonl`;

const open = async (host: Host): Promise<Store> =>
  await openStore(jsonlBackend(DIRECTORY, { host }), { onDamage: () => undefined });

/** Each element is an append: so many records at once. */
async function written(appends: readonly number[]): Promise<Capture> {
  const machine = new SimulatedMachine(3);
  const store = await open(machine.startProcess());
  for (const count of appends) {
    const batch = Array.from({ length: count }, (_, index) => user(`${index + 1} of ${count}`));
    await store.session("k").append(batch);
  }
  await store.close();
  return machine.capture();
}

/** Every choice of some of these, in every order. */
function* arrangements(items: readonly number[]): Generator<readonly number[]> {
  yield [];
  for (const item of items) {
    for (const rest of arrangements(items.filter((other) => other !== item))) yield [item, ...rest];
  }
}

/** The last seq of the append that wrote this one. */
function endOf(appends: readonly number[], seq: number): number {
  let end = 0;
  for (const count of appends) {
    end += count;
    if (end >= seq) return end;
  }
  throw new RangeError(`no record ${seq}`);
}

/** Without the beginning of a batch at the end that no other line speaks of: a crash may leave that, and it was never a whole append. */
function withoutTorn(appends: readonly number[], order: readonly number[]): readonly number[] {
  const last = order.at(-1) ?? 0;
  const end = last === 0 ? 0 : endOf(appends, last);
  if (last === end) return order;
  const first = end - (appends.find((_, index) => endOfAppend(appends, index) === end) ?? 0) + 1;
  const count = last - first + 1;
  const isRun = order.slice(-count).every((seq, index) => seq === first + index);
  const rest = order.slice(0, -count);
  return isRun && rest.every((seq) => seq < first) ? rest : order;
}

const endOfAppend = (appends: readonly number[], index: number): number =>
  appends.slice(0, index + 1).reduce((sum, count) => sum + count, 0);

test.each([[[1, 2]], [[2, 2]], [[1, 3]], [[1, 2, 1]]])(
  "appends of %j records, their lines rearranged",
  async (appends) => {
    const capture = await written(appends);
    const bytes = await readSimulatedFile(capture.afterKill().startProcess(), PATH);
    const [header = "", ...lines] = bytes.toString().split("\n").slice(0, -1);
    const all = lines.map((_, index) => index + 1);
    for (const order of arrangements(all)) {
      const whole = withoutTorn(appends, order);
      for (const repairs of [true, false]) {
        const host = capture.afterKill().startProcess();
        const text = [header, ...order.map((seq) => lines[seq - 1] ?? "")]
          .map((line) => `${line}\n`)
          .join("");
        await writeSimulatedFile(host, PATH, Buffer.from(text));
        const store = await open(host);
        const known = Math.max((order[whole.length] ?? 1) - 1, ...whole.map((seq) => endOf(appends, seq)));
        const what = `${order.join()}, ${repairs ? "repaired" : "not repaired"}`;
        if (repairs) {
          const { lost = [] } = await store.repair();
          const served = (await recordsOf(store.session("k"))).map(({ seq }) => seq);
          expect(served, what).toEqual(whole.toSorted((one, other) => one - other));
          const gone = all.filter((seq) => seq <= known && !whole.includes(seq));
          const named = all.filter((seq) => lost.some(({ first, last }) => first <= seq && seq <= last));
          expect(named, what).toEqual(gone);
          expect((await store.verify()).damage, what).toEqual([]);
        }
        const { seq } = await store.session("k").append(user("new"));
        expect(seq, what).toBeGreaterThan(known);
        await store.close();
      }
    }
  },
);
