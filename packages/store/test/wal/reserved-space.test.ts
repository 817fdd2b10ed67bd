/** The zeros that a journal writes ahead of its blocks, on a disk that has no room for them: they never cover a block. */

import { expect, test } from "vitest";
import { fileNameOf } from "../../src/format/key.ts";
import { toId } from "../../src/format/session-id.ts";
import { failingHost, SimulatedMachine, type CrashableHost } from "../../src/testing/index.ts";
import type { JournalRecord } from "../../src/wal/block.ts";
import { Journal } from "../../src/wal/journal.ts";
import { readJournal } from "../../src/wal/read-journal.ts";
import { readSimulatedFile } from "../support/simulated-store.ts";

const PATH = "/journal";
const FULL = { kind: "error", code: "ENOSPC" } as const;

interface FillingJournal {
  readonly host: CrashableHost;
  readonly journal: Journal;
  /** The next writes to the journal have these outcomes; those behind them succeed. */
  readonly plan: (...outcomes: readonly Outcome[]) => void;
}

/** `short`: this many bytes are written, and no error is reported. */
type Outcome = "written" | "full" | { readonly short: number };

async function openJournal(): Promise<FillingJournal> {
  const host = new SimulatedMachine(1).startProcess();
  let planned: Outcome[] = [];
  const failing = failingHost(host, ({ operation, path }) => {
    if (operation !== "write" || path !== PATH) return undefined;
    const outcome = planned.shift() ?? "written";
    if (outcome === "written") return undefined;
    return outcome === "full" ? FULL : { kind: "short", bytes: outcome.short };
  });
  const owner = {
    instance: toId("01JCW0000000000000000000AB"),
    ...host.processes.self,
    since: "2026-01-01T00:00:00.000Z",
    listens: false,
    fileSystem: undefined,
  };
  const place = { path: PATH, temporary: "/temporary", directory: "/", owner, durability: "sync" } as const;
  const journal = await Journal.create(failing.files, place);
  return { host, journal, plan: (...outcomes) => (planned = [...outcomes]) };
}

function record(offset: number): JournalRecord {
  const session = toId("01JCW0000000000000000000CD");
  return { session, file: 0, name: fileNameOf("s"), offset, bytes: Buffer.from(`record ${offset}`) };
}

/** As a recovery reads it. */
async function contentsOf(host: CrashableHost): Promise<unknown> {
  const contents = readJournal(await readSimulatedFile(host, PATH));
  return { records: contents?.records, damage: contents?.damage };
}

test.each<[string, readonly Outcome[]]>([
  ["no room for the zeros", ["full", "written"]],
  ["room for some of the zeros", [{ short: 10 }, "full", "written"]],
  [
    "room for fewer zeros than the block has bytes, twice",
    [{ short: 1 }, "full", "written", "full", "written"],
  ],
])("blocks that got in with %s stay when there is room again", async (_room, outcomes) => {
  const { host, journal, plan } = await openJournal();
  plan(...outcomes);
  const records = [1, 2, 3, 4].map(record);
  for (const each of records) await journal.append([each]);
  expect(await contentsOf(host)).toEqual({ records, damage: undefined });
  expect(await journal.readBack()).toEqual(records);
});

test("a refused block leaves those before it, and the next one takes its place", async () => {
  const { host, journal, plan } = await openJournal();
  plan("full", "written");
  await journal.append([record(1)]);
  plan("full", { short: 20 }, "full");
  await expect(journal.append([record(2)])).rejects.toMatchObject({ code: "DISK_FULL" });
  expect(await contentsOf(host)).toEqual({ records: [record(1)], damage: undefined });
  plan();
  await journal.append([record(3)]);
  expect(await contentsOf(host)).toEqual({ records: [record(1), record(3)], damage: undefined });
});
