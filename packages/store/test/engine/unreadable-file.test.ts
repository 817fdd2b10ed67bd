/** One file that may not be read is reported; what concerns all sessions goes on with the others. */

import { describe, expect, test } from "vitest";
import { findOwners } from "../../src/engine/owners.ts";
import type { Host } from "../../src/host/host.ts";
import { jsonlBackend, openStore, type Store } from "../../src/index.ts";
import { fileNameOf } from "../../src/format/key.ts";
import { failingHost, SimulatedMachine } from "../../src/testing/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { landingFaults } from "../support/apply-faults.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { closedStore, DIRECTORY } from "../support/simulated-store.ts";

const KEY = "closed:1";
const CLOSED = `${DIRECTORY}/${fileNameOf(KEY)}`;

/** A host to whom this file is closed. */
function without(host: Host, path: string): Host {
  return failingHost(host, (call) =>
    call.path === path && (call.operation === "open" || call.operation === "openForWriting")
      ? { kind: "error", code: "EACCES" }
      : undefined,
  );
}

async function write(store: Store): Promise<void> {
  for (const key of ["a", KEY, "z"]) await store.session(key).append(user("x".repeat(600_000)));
}

describe("a file that may not be read", () => {
  test("reclaim reports it, and seals the others", async () => {
    const host = (await closedStore(write)).afterKill().startProcess();
    const { store, errors } = await openCollecting(jsonlBackend(DIRECTORY, { host: without(host, CLOSED) }));
    const dry = await store.reclaim({ dryRun: true });
    expect(dry.bytesBefore).toBeGreaterThan(1_000_000);
    expect(errors).toMatchObject([{ code: "IO_FAILED", detail: { file: CLOSED } }]);
    const { bytesBefore } = await store.reclaim();
    expect(bytesBefore).toBe(dry.bytesBefore);
    expect(errors).toHaveLength(2);
    expect(errors[1]).toMatchObject({ code: "IO_FAILED", detail: { file: CLOSED } });
    await expect(store.reclaim({ keys: [KEY] })).rejects.toMatchObject({ code: "IO_FAILED" });
    await store.close();
  });

  test("who holds it is still told, without its key", async () => {
    const host = new SimulatedMachine(3).startProcess();
    const store = await openStore(jsonlBackend(DIRECTORY, { host }));
    await write(store);
    const [owner] = await findOwners(DIRECTORY, without(host, CLOSED));
    expect(owner?.holds.map(({ name, key }) => [name, key])).toEqual(
      expect.arrayContaining([
        ["a", "a"],
        [fileNameOf(KEY).slice(0, -".jsonl".length), undefined],
        ["z", "z"],
      ]),
    );
    await store.close();
  });

  describe("while a dead process is taken over whose session has another name by now", () => {
    const MOVED = `${DIRECTORY}/moved-by-hand.jsonl`;

    /** Of z everything is in the journal only. */
    async function deadWriter(): Promise<Host> {
      const machine = new SimulatedMachine(3);
      const first = await openStore(jsonlBackend(DIRECTORY, { host: machine.startProcess() }));
      await first.session(KEY).append(user("closed"));
      await first.close();
      const failing = failingHost(machine.startProcess(), landingFaults().plan);
      const second = await openStore(jsonlBackend(DIRECTORY, { host: failing }), {
        onError: () => undefined,
      });
      await second.session("z").append(user("z"));
      const host = machine.capture().afterKill().startProcess();
      await host.files.rename(`${DIRECTORY}/z.jsonl`, MOVED);
      return host;
    }

    test("somebody else's closed file is passed over", async () => {
      const host = await deadWriter();
      const { store, damage } = await openCollecting(
        jsonlBackend(DIRECTORY, { host: without(host, CLOSED) }),
      );
      await host.files.rename(MOVED, `${DIRECTORY}/z.jsonl`);
      expect(await contentsOf(store.session("z"))).toEqual(["z"]);
      expect(damage).toEqual([]);
      await store.close();
    });

    test("if it may be the session's own, the journal is kept and the file named", async () => {
      const host = await deadWriter();
      const refused = openStore(jsonlBackend(DIRECTORY, { host: without(host, MOVED) }));
      await expect(refused).rejects.toMatchObject({ code: "IO_FAILED", detail: { file: MOVED } });
      await host.files.rename(MOVED, `${DIRECTORY}/z.jsonl`);
      const { store, damage } = await openCollecting(jsonlBackend(DIRECTORY, { host }));
      expect(await contentsOf(store.session("z"))).toEqual(["z"]);
      expect(damage).toEqual([]);
      await store.close();
    });
  });
});
