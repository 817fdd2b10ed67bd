/**
 * A listing from the catalog against one that reads every session, after each of many random operations: by two stores, by other
 * programs that change files within the resolution of their times, and after crashes at any point.
 */

import { expect, test } from "vitest";
import { isLonghandError } from "../../src/errors.ts";
import { jsonlBackend } from "../../src/backends/jsonl/jsonl-backend.ts";
import type { OpenBackend } from "../../src/contract/backend.ts";
import type { Damage, SessionInfo } from "../../src/format/session-record.ts";
import { BackendStore } from "../../src/store/store.ts";
import { SimulatedMachine } from "../../src/testing/index.ts";
import type { CrashableHost } from "../../src/testing/crashable-host.ts";
import { SeededRandom } from "../../src/testing/seeded-random.ts";
import { user } from "../support/conversation.ts";
import { DIRECTORY, readSimulatedFile, writeSimulatedFile } from "../support/simulated-store.ts";

const KEYS = ["a", "b", "c:1", "d:2", "e"];
const CATALOG = `${DIRECTORY}/.longhand/cache/catalog`;
const SEEDS = 40;
const STEPS = 40;
/** The first ones of the steps. */
const USUAL_STEPS = 13;

interface Opened {
  readonly host: CrashableHost;
  readonly backend: OpenBackend;
  readonly store: BackendStore<ReturnType<typeof user>>;
  readonly damage: Damage[];
}

async function open(machine: SimulatedMachine, readOnly = false): Promise<Opened> {
  const host = machine.startProcess();
  const damage: Damage[] = [];
  const backend = await jsonlBackend(DIRECTORY, { host, segmentBytes: 2000, lockWait: 0 }).open({
    durability: "sync",
    readOnly,
    onDamage: (found) => damage.push(found),
    onError: () => undefined,
  });
  return { host, backend, store: new BackendStore(backend), damage };
}

interface Listed {
  readonly infos: readonly SessionInfo[];
  readonly damage: readonly string[];
}

const byId = (one: SessionInfo, other: SessionInfo): number => (one.id < other.id ? -1 : 1);

async function listed(opened: Opened, list: () => Promise<readonly SessionInfo[]>): Promise<Listed> {
  opened.damage.length = 0;
  const infos = (await list()).toSorted(byId);
  return { infos, damage: [...new Set(opened.damage.map((each) => JSON.stringify(each)))].sort() };
}

const fromCatalog = async (opened: Opened): Promise<Listed> =>
  await listed(opened, async () => (await opened.backend.infos?.(() => undefined)) ?? []);

const fromFiles = async (opened: Opened): Promise<Listed> =>
  await listed(opened, async () => {
    const infos: SessionInfo[] = [];
    for await (const { info } of opened.backend.snapshots()) infos.push(info);
    return infos;
  });

/** One machine with two stores, what happens to it, and how often a session was listed without a look into its file. */
class World {
  machine: SimulatedMachine;
  stores: Opened[] = [];
  opens = { catalog: 0, files: 0 };
  #counts: keyof World["opens"] | undefined;
  readonly #random: SeededRandom;
  readonly #backups = new Map<string, Buffer>();

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
    this.machine = new SimulatedMachine(seed);
    this.#watch();
  }

  async begin(): Promise<void> {
    this.stores = [await open(this.machine), await open(this.machine)];
  }

  #watch(): void {
    this.machine.onOperation(({ operation, path }) => {
      if (operation === "open" && path.endsWith(".jsonl") && this.#counts !== undefined)
        this.opens[this.#counts] += 1;
    });
  }

  async compare(step: string): Promise<void> {
    const reader = await open(this.machine, true);
    for (const opened of [...this.stores, reader]) {
      this.#counts = "files";
      const expected = await fromFiles(opened);
      this.#counts = "catalog";
      const found = await fromCatalog(opened);
      this.#counts = undefined;
      expect(found, step).toEqual(expected);
    }
  }

  /** Answers with what was done. */
  async step(): Promise<string> {
    const key = this.#pick(KEYS);
    const opened = this.#pick(this.stores);
    const session = opened.store.session(key);
    const steps: Record<string, () => Promise<unknown>> = {
      append: async () => await session.append(user(`text ${this.#random.below(1000)}`)),
      batch: async () => await session.append(["x", "y"].map((text) => user(text.repeat(400)))),
      title: async () => await session.setTitle(`title ${this.#random.below(1000)}`),
      truncate: async () => await session.truncate({ keepLast: 1 }),
      archive: async () => await session.archive(),
      restore: async () => await session.restore(),
      delete: async () => await session.delete(),
      fork: async () => await session.fork(this.#pick(KEYS)),
      purge: async () => await opened.store.purge(),
      seal: async () => await opened.store.reclaim({ seal: true }),
      "a second": async () => await this.#pass(1000),
      "a while": async () => await this.#pass(5000),
      "a long while": async () => await this.#pass(60_000),
      "an edit": async () => await this.#edit(),
      "a backup": async () => await this.#backup(),
      "a backup put back": async () => await this.#putBack(),
      "a catalog removed": async () => await opened.host.files.unlink(CATALOG),
      "a catalog damaged": async () => await this.#spoil(CATALOG),
      kill: async () => await this.#kill(),
      "a power cut": async () => await this.#cutPower(),
    };
    const names = Object.keys(steps);
    // What damages sessions for good comes less often: those are never in a catalog.
    const name = this.#pick([...names, ...names.slice(0, USUAL_STEPS), ...names.slice(0, USUAL_STEPS)]);
    try {
      await steps[name]?.();
    } catch (error) {
      const isExpected = isLonghandError(error) || /ENOENT/.test(String(error));
      if (!isExpected) throw error;
    }
    return `${name} ${key}`;
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#random.below(items.length)] as T;
  }

  async #pass(milliseconds: number): Promise<void> {
    this.machine.pass(milliseconds);
    await Promise.resolve();
  }

  async #someFile(): Promise<string> {
    const { files } = this.machine.startProcess();
    const names = (await files.readDirectory(DIRECTORY)).filter((name) => name.endsWith(".jsonl"));
    return `${DIRECTORY}/${this.#pick([...names, "none.jsonl"])}`;
  }

  /** The same size, and mostly within the same millisecond. */
  async #edit(): Promise<void> {
    await this.#spoil(await this.#someFile());
  }

  async #spoil(path: string): Promise<void> {
    const host = this.machine.startProcess();
    const bytes = await readSimulatedFile(host, path);
    const at = this.#random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    const file = await host.files.open(path, "write");
    await file.write(bytes, 0);
  }

  async #backup(): Promise<void> {
    const path = await this.#someFile();
    this.#backups.set(path, await readSimulatedFile(this.machine.startProcess(), path));
  }

  async #putBack(): Promise<void> {
    const [path, bytes] = this.#pick([
      ...this.#backups,
      [`${DIRECTORY}/none.jsonl`, Buffer.alloc(0)] as const,
    ]);
    await writeSimulatedFile(this.machine.startProcess(), path, bytes);
  }

  async #kill(): Promise<void> {
    const index = this.#random.below(this.stores.length);
    this.stores[index]?.host.kill();
    this.stores[index] = await open(this.machine);
  }

  async #cutPower(): Promise<void> {
    const states = [...this.machine.capture().afterPowerLoss({ limit: 20, seed: this.#random.below(1000) })];
    this.machine = this.#pick(states);
    this.#watch();
    await this.begin();
  }
}

test("the catalog never lists anything else than the files say", async () => {
  const opens = { catalog: 0, files: 0 };
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const world = new World(seed);
    await world.begin();
    const steps: string[] = [];
    for (let count = 0; count < STEPS; count += 1) {
      steps.push(await world.step());
      await world.compare(`seed ${seed}: ${steps.join(", ")}`);
      if (count % 4 !== 0) continue;
      // Time enough for everything to be put into the catalog, and to be listed from it.
      world.machine.pass(5000);
      await world.compare(`seed ${seed}: ${steps.join(", ")}, then a while`);
      await world.compare(`seed ${seed}: ${steps.join(", ")}, then a while, again`);
    }
    opens.catalog += world.opens.catalog;
    opens.files += world.opens.files;
  }
  // Control: it was used.
  expect(opens.catalog).toBeLessThan(opens.files * 0.75);
}, 300_000);
