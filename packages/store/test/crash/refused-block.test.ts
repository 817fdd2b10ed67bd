/**
 * A commit that did not fit on the disk was refused, and all but its last bytes are in the journal: where that space was
 * used before, those may lie there already. Another instance writes at the same place of the session; then the one that
 * was refused is killed, or everything loses power. What was refused must not come back, least of all over that.
 */

import { describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type Damage, type Store } from "../../src/index.ts";
import type { Host } from "../../src/host/host.ts";
import { failingHost, SimulatedMachine, type Fault } from "../../src/testing/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { DIRECTORY, readSimulatedFile, usedBytes } from "../support/simulated-store.ts";
import { withoutNuls } from "./forgetful-host.ts";

const HEADS = 8192;
const WRITTEN = ["one", "two", "six"];

interface Refusing {
  readonly machine: SimulatedMachine;
  readonly store: Store;
  /** How the next append of `text` is refused. Those before it have the same length. */
  readonly refuse: (text: string, missing: number) => Promise<unknown>;
  readonly kill: () => void;
}

interface Setting {
  readonly journalBytes?: number;
  readonly durability?: "sync" | "os";
  readonly spoil?: (host: Host) => Host;
  /** What happens to the journal after the write that did not fit. */
  readonly afterwards?: Partial<Record<"write" | "sync", Fault>>;
}

async function open(host: Host, setting: Setting = {}, damage: Damage[] = []): Promise<Store> {
  const { journalBytes, durability = "sync" } = setting;
  const backend = jsonlBackend(DIRECTORY, { host, ...(journalBytes === undefined ? {} : { journalBytes }) });
  return await openStore(backend, {
    durability,
    onDamage: (found) => damage.push(found),
    onError: () => undefined,
  });
}

/** With three records of one length written: with `journalBytes: 1`, each by a block in the place of the last one's. */
async function openRefusing(setting: Setting): Promise<Refusing> {
  const machine = new SimulatedMachine(1);
  const process = machine.startProcess();
  let next: "none" | "head" | "short" | "full" | "afterwards" = "none";
  let bytes = 0;
  let journal = "";
  const host = failingHost((setting.spoil ?? ((same) => same))(process), ({ operation, path }) => {
    if (!path.endsWith(".journal")) return undefined;
    journal = path;
    if (next === "head" && operation === "sync") next = "short";
    else if (next === "short" && operation === "write") {
      next = "full";
      return { kind: "short", bytes };
    } else if (next === "full" && operation === "write") {
      next = "afterwards";
      return { kind: "error", code: "ENOSPC" };
    } else if (next === "afterwards" && (operation === "write" || operation === "sync"))
      return setting.afterwards?.[operation];
    return undefined;
  });
  const store = await open(host, setting);
  for (const text of WRITTEN) await store.session("k").append(user(text));
  return {
    machine,
    store,
    refuse: async (text, missing) => {
      const isRecycling = setting.journalBytes === 1;
      const blocks = usedBytes(await readSimulatedFile(process, journal)).length - HEADS;
      bytes = (isRecycling ? blocks : blocks / WRITTEN.length) - missing;
      next = isRecycling ? "head" : "short";
      const answer: unknown = await store
        .session("k")
        .append(user(text))
        .catch((error: unknown) => error);
      expect(next).toBe("afterwards");
      next = "none";
      return answer;
    },
    kill: () => {
      process.kill();
    },
  };
}

async function foundBy(machine: SimulatedMachine): Promise<string[]> {
  const damage: Damage[] = [];
  const store = await open(machine.startProcess(), {}, damage);
  const contents = await contentsOf(store.session("k"));
  await store.close();
  return [...contents, ...damage.map(({ reason }) => reason)];
}

/** What is found when the refused one is killed after another one has written and closed. */
async function foundAfterRefusal(setting: Setting, text: string, missing: number): Promise<string[]> {
  const { machine, refuse, kill } = await openRefusing(setting);
  expect(await refuse(text, missing)).toMatchObject({ code: "DISK_FULL" });
  await writeAsAnother(machine);
  kill();
  return await foundBy(machine);
}

async function writeAsAnother(machine: SimulatedMachine): Promise<void> {
  const other = await open(machine.startProcess());
  await other.session("k").append(user("acknowledged"));
  await other.close();
}

const RECYCLING = { journalBytes: 1 };
const FORGETFUL = { ...RECYCLING, spoil: withoutNuls };
/** Of which some end, checksum and all, one bit away from what was there before. */
const TEXTS = Array.from({ length: 40 }, (_, number) => `R${number + 10}`);
const TURNED = /one bit of block/;

describe("a commit refused with DISK_FULL", () => {
  test.each([1, 2, 3])("is not replayed, though only its last %i bytes are missing", async (missing) => {
    expect(await foundAfterRefusal(RECYCLING, "REF", missing)).toEqual([...WRITTEN, "acknowledged"]);
  });

  test("is not replayed after a power cut", async () => {
    const { machine, refuse } = await openRefusing(RECYCLING);
    expect(await refuse("REF", 1)).toMatchObject({ code: "DISK_FULL" });
    await writeAsAnother(machine);
    for (const cut of machine.capture().afterPowerLoss({ limit: 20 })) {
      expect(await foundBy(cut)).toEqual([...WRITTEN, "acknowledged"]);
    }
  });

  test("is not turned back into a whole one where a bit is all that is missing", async () => {
    for (const text of TEXTS) {
      expect(await foundAfterRefusal(RECYCLING, text, 4)).toEqual([...WRITTEN, "acknowledged"]);
    }
  });

  test("is not replayed where the journal had no bytes before, nor with durability os", async () => {
    expect(await foundAfterRefusal({}, "REF", 1)).toEqual([...WRITTEN, "acknowledged"]);
    const relaxed = { ...RECYCLING, durability: "os" } as const;
    expect(await foundAfterRefusal(relaxed, "REF", 1)).toEqual([...WRITTEN, "acknowledged"]);
  });

  test("leaves the journal as it was: the next commit is acknowledged and replayed", async () => {
    for (const setting of [RECYCLING, {}]) {
      const { machine, store, refuse, kill } = await openRefusing(setting);
      expect(await refuse("REF", 1)).toMatchObject({ code: "DISK_FULL" });
      await store.session("k").append(user("next"));
      kill();
      expect(await foundBy(machine)).toEqual([...WRITTEN, "next"]);
    }
  });

  test.each(["write", "sync"] as const)(
    "is of unknown outcome if it cannot be made void: its %s fails",
    async (operation) => {
      const afterwards = { [operation]: { kind: "error", code: "ENOSPC" } } as const;
      const { machine, store, refuse } = await openRefusing({ ...RECYCLING, afterwards });
      expect(await refuse("REF", 1)).toMatchObject({ code: "STORE_FAILED" });
      await expect(store.session("k").append(user("more"))).rejects.toMatchObject({ code: "STORE_FAILED" });
      await writeAsAnother(machine);
      expect((await foundBy(machine)).at(-1)).toBe("acknowledged");
    },
  );

  test("control: one that is left in the journal is replayed, though not over what was acknowledged", async () => {
    const [stray, ...found] = (await foundAfterRefusal(FORGETFUL, "REF", 1)).reverse();
    expect(stray).toContain("do not fit this file");
    expect(found.reverse()).toEqual([...WRITTEN, "acknowledged"]);
  });

  test("control: one that is left in the journal is turned back", async () => {
    const found: string[][] = [];
    for (const text of TEXTS) found.push(await foundAfterRefusal(FORGETFUL, text, 4));
    const flipped = found.filter((told) => told.some((each) => TURNED.test(each)));
    expect(flipped).not.toEqual([]);
    for (const told of flipped) expect(told.join()).toContain("do not fit this file");
  });
});
