/** A store in this process that writes until the disk is full, and on. */

import { jsonlBackend, openStore, type LonghandError, type Store } from "@longhand/store";
import { SeededRandom } from "@longhand/store/testing";
import { Attempts } from "../writers/attempts.ts";
import { readSessions } from "../writers/examine-store.ts";
import { Lane } from "../writers/lane.ts";
import type { Told } from "../writers/operation.ts";
import type { FullDisk } from "./full-disk.ts";

/** Bringing back what is there is refused, as it is with room; the rest is what a full disk says. */
export const EXPECTED: readonly string[] = ["DISK_FULL", "SESSION_EXISTS", "SESSION_NOT_FOUND"];
export const EXPECTED_WITH_ROOM: readonly string[] = EXPECTED.filter((code) => code !== "DISK_FULL");
const REFUSALS = 10;
const MOST_STEPS = 3000;
export const JOURNAL_BYTES: number = 32 * 1024;
export const SEGMENT_BYTES: number = 16 * 1024;

/** Where inodes are scarce, it is new sessions that take them. */
export function keysOf({ scarcity }: Pick<FullDisk, "scarcity">): string[] {
  return Array.from({ length: scarcity === "inodes" ? 12 : 3 }, (_, index) => `full:${index + 1}`);
}

export class StoreOnFullDisk {
  readonly store: Store;
  readonly #disk: FullDisk;
  readonly #lanes: readonly Lane[];
  readonly #told: Told[] = [];
  readonly #errors: readonly LonghandError[];
  /** In the last steps. */
  #refusals = 0;

  private constructor(store: Store, disk: FullDisk, errors: readonly LonghandError[]) {
    this.store = store;
    this.#disk = disk;
    this.#errors = errors;
    const attempts = new Attempts(store, (told) => this.#told.push(told));
    const life = disk.random.below(2 ** 31);
    this.#lanes = keysOf(disk).map((key, index) => {
      const random = new SeededRandom(disk.random.below(2 ** 31));
      return new Lane({ key, name: `${life}.${index}`, random, longText: 9000, hugeText: 100_000 }, attempts);
    });
  }

  static async open(disk: FullDisk): Promise<StoreOnFullDisk> {
    const errors: LonghandError[] = [];
    const options = { segmentBytes: SEGMENT_BYTES, journalBytes: JOURNAL_BYTES };
    const store = await openStore(jsonlBackend(disk.directory, options), {
      onError: (error) => errors.push(error),
    });
    return new StoreOnFullDisk(store, disk, errors);
  }

  /** Writes until it was told several times that the disk is full. */
  async fill(): Promise<string | undefined> {
    for (let steps = 0, refusals = 0; refusals < REFUSALS; steps += 1) {
      if (steps === MOST_STEPS) throw new Error("the disk does not get full");
      const wrong = await this.step(1);
      if (wrong !== undefined) return wrong;
      refusals += this.#refusals;
    }
    return undefined;
  }

  /** All lanes at once, so often; then the ledger knows. */
  async step(times: number, expected: readonly string[] = EXPECTED): Promise<string | undefined> {
    for (let time = 0; time < times; time += 1)
      await Promise.all(this.#lanes.map(async (lane) => await lane.step()));
    const told = this.#told.splice(0);
    this.#disk.hear(told);
    const failures = told.filter((each) => each.kind === "failed");
    this.#refusals = failures.filter(({ code }) => code === "DISK_FULL").length;
    const odd =
      failures.find(({ code }) => !expected.includes(code)) ??
      this.#errors.find(({ code }) => code !== "DISK_FULL");
    return (
      odd &&
      `an error that nothing explains: ${odd.code} ${"why" in odd ? odd.why : `to onError: ${odd.message}`}`
    );
  }

  async look(when: string): Promise<string | undefined> {
    const wrong = this.#disk.ledger.judge(await readSessions(this.store));
    return wrong && `${when} the store itself finds: ${wrong}`;
  }

  async goOn(when: string): Promise<string | undefined> {
    await this.#disk.giveRoom();
    return (await this.step(10, EXPECTED_WITH_ROOM)) ?? (await this.look(when));
  }
}
