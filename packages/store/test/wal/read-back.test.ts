/** A journal read back by its own instance, to write a session's file again after a failed sync: all of it, or an error. */

import { describe, expect, test } from "vitest";
import { jsonlBackend } from "../../src/index.ts";
import { Journal } from "../../src/wal/journal.ts";
import type { JournalRecord } from "../../src/wal/block.ts";
import { failingHost, SimulatedMachine, type CrashableHost } from "../../src/testing/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { openCollecting, type CollectingStore } from "../support/open-collecting.ts";
import {
  DIRECTORY,
  journalIn,
  readSimulatedFile,
  usedBytes,
  writeSimulatedFile,
} from "../support/simulated-store.ts";
import { toId } from "../../src/format/session-id.ts";
import { fileNameOf } from "../../src/format/key.ts";

const HEAD_COPY = 4096;
const BLOCKS = 8192;

async function spoil(host: CrashableHost, path: string, ...places: readonly number[]): Promise<void> {
  const bytes = await readSimulatedFile(host, path);
  for (const place of places) bytes[place] = (bytes[place] ?? 0) ^ 1;
  await writeSimulatedFile(host, path, bytes);
  // As a disk does it: no power cut undoes it.
  await (await host.files.open(path, "read")).sync();
}

describe("Journal.readBack", () => {
  const path = "/journal";

  async function written(): Promise<{ host: CrashableHost; journal: Journal; records: JournalRecord[] }> {
    const host = new SimulatedMachine(1).startProcess();
    const owner = {
      instance: toId("01JCW0000000000000000000AB"),
      ...host.processes.self,
      since: "2026-01-01T00:00:00.000Z",
      listens: false,
      fileSystem: undefined,
    };
    const place = { path, temporary: "/temporary", directory: "/", owner, durability: "sync" } as const;
    const journal = await Journal.create(host.files, place);
    const records = ["one", "two", "three"].map((text, offset): JournalRecord => ({
      ...{ session: toId("01JCW0000000000000000000CD"), file: 0, name: fileNameOf("s"), offset },
      bytes: Buffer.from(text),
    }));
    for (const record of records) await journal.append([record]);
    return { host, journal, records };
  }

  test("gives every record, though both copies of the head are damaged", async () => {
    const { host, journal, records } = await written();
    await spoil(host, path, 5, HEAD_COPY + 5);
    expect(await journal.readBack()).toEqual(records);
  });

  test.each([
    ["the first", BLOCKS],
    ["the last", -1],
  ])("rejects if %s block cannot be read, and nothing is appended behind it", async (_which, place) => {
    const { host, journal, records } = await written();
    const before = await readSimulatedFile(host, path);
    const first = place < 0 ? usedBytes(before).length + place : place;
    await spoil(host, path, first, place < 0 ? first - 2 : first + 2);
    const failed = { code: "STORE_FAILED", detail: { file: path } };
    await expect(journal.readBack()).rejects.toMatchObject(failed);
    await expect(journal.append(records)).rejects.toMatchObject(failed);
    expect((await readSimulatedFile(host, path)).length).toBe(before.length);
  });

  test("rejects if the file was cut short", async () => {
    const { host, journal } = await written();
    await writeSimulatedFile(host, path, usedBytes(await readSimulatedFile(host, path)).subarray(0, -1));
    await expect(journal.readBack()).rejects.toMatchObject({ code: "STORE_FAILED" });
  });
});

describe("a session's file whose sync fails once", () => {
  interface Failing extends CollectingStore {
    readonly machine: SimulatedMachine;
    readonly host: CrashableHost;
    readonly failNextSync: () => void;
  }

  async function openFailing(): Promise<Failing> {
    const machine = new SimulatedMachine(1);
    const host = machine.startProcess();
    let isArmed = false;
    const failing = failingHost(host, ({ operation, path }) => {
      if (!isArmed || operation !== "sync" || /\/\.longhand\/(?!new\/)/.test(path)) return undefined;
      isArmed = false;
      return { kind: "error", code: "EIO" };
    });
    const opened = await openCollecting(jsonlBackend(DIRECTORY, { host: failing }));
    for (const text of ["one", "two", "three"]) await opened.store.session("k").append(user(text));
    return {
      ...opened,
      machine,
      host,
      failNextSync: () => {
        isArmed = true;
      },
    };
  }

  test("is written again though the journal's head was damaged meanwhile", async () => {
    const { store, machine, host, failNextSync } = await openFailing();
    await spoil(host, await journalIn(host), HEAD_COPY + 5);
    failNextSync();
    await store.close();
    for (const cut of machine.capture().afterPowerLoss({ limit: 50 })) {
      const { store: again, damage } = await openCollecting(
        jsonlBackend(DIRECTORY, { host: cut.startProcess() }),
      );
      expect(await contentsOf(again.session("k"))).toEqual(["one", "two", "three"]);
      expect(damage).toEqual([]);
    }
  });

  test("is not taken for synced if the journal cannot be read: closing says so, and the next one tells", async () => {
    const { store, machine, host, failNextSync } = await openFailing();
    await spoil(host, await journalIn(host), BLOCKS, BLOCKS + 2);
    failNextSync();
    await expect(store.close()).rejects.toMatchObject({ code: "STORE_FAILED" });
    for (const cut of machine.capture().afterPowerLoss({ limit: 50 })) {
      const { store: again, damage } = await openCollecting(
        jsonlBackend(DIRECTORY, { host: cut.startProcess() }),
      );
      await contentsOf(again.session("k"));
      expect(damage).not.toEqual([]);
    }
  });
});
