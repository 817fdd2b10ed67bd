/** Session files that cannot be written for a while: nothing is lost, nobody is refused before 16 MiB wait. */

import { describe, expect, test, vi } from "vitest";
import { isLonghandError, jsonlBackend, type Session } from "../../src/index.ts";
import { failingHost, SimulatedMachine, type CrashableHost } from "../../src/testing/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { landingFaults, type ApplyFaults } from "../support/apply-faults.ts";
import { openCollecting, type CollectingStore } from "../support/open-collecting.ts";
import { DIRECTORY, readSimulatedFile } from "../support/simulated-store.ts";

const MIB = 1024 * 1024;

interface Setting extends CollectingStore {
  readonly machine: SimulatedMachine;
  readonly host: CrashableHost;
  readonly faults: ApplyFaults;
}

async function openWithoutApply(code?: string, journalBytes?: number): Promise<Setting> {
  const machine = new SimulatedMachine(4);
  const host = machine.startProcess();
  const faults = landingFaults(code);
  const opened = await openCollecting(
    jsonlBackend(DIRECTORY, {
      host: failingHost(host, faults.plan),
      ...(journalBytes === undefined ? {} : { journalBytes }),
    }),
  );
  return { ...opened, machine, host, faults };
}

async function contentsAfterKill(machine: SimulatedMachine, key: string): Promise<unknown[]> {
  const host = machine.capture().afterKill().startProcess();
  const { store, damage } = await openCollecting(jsonlBackend(DIRECTORY, { host }));
  const contents = await contentsOf(store.session(key));
  await store.close();
  expect(damage).toEqual([]);
  return contents;
}

describe("landing that fails", () => {
  test.each([
    ["ENOSPC", "DISK_FULL"],
    ["EIO", "IO_FAILED"],
  ])(
    "%s: appends go on, reads see everything, it is reported once a file, and lands later",
    async (errno, code) => {
      const { store, errors, host, machine, faults } = await openWithoutApply(errno);
      const session = store.session("a");
      const contents: string[] = [];
      for (let number = 1; number <= 20; number++) {
        contents.push(`message ${number}.`);
        expect(await session.append(user(`message ${number}.`))).toEqual({ seq: number });
        expect(await contentsOf(session)).toEqual(contents);
      }
      await session.rewind({ messages: 1 });
      await session.append(user("again"));
      contents.splice(-1, 1, "again");
      expect(await contentsOf(session)).toEqual(contents);
      expect(await store.search("e 7.")).toMatchObject([{ seq: 17 }, { seq: 7 }]);
      for await (const info of store.list()) expect(info).toMatchObject({ key: "a", seq: 22, count: 20 });
      await vi.waitFor(() => expect(errors).toHaveLength(1), { timeout: 60_000 });
      expect(errors).toMatchObject([{ code, detail: { file: `${DIRECTORY}/a.jsonl`, errno } }]);
      const path = `${DIRECTORY}/a.jsonl`;
      expect((await readSimulatedFile(host, path)).toString().split("\n")).toHaveLength(2);
      expect(await contentsAfterKill(machine, "a")).toEqual(contents);

      faults.end();
      await store.session("b").append(user("of another session"));
      await vi.waitFor(
        async () => {
          expect((await readSimulatedFile(host, path)).toString()).toContain('"again"');
        },
        { timeout: 60_000 },
      );
      expect(errors).toHaveLength(1);
      await store.close();
      const again = await openCollecting(jsonlBackend(DIRECTORY, { host }));
      expect(await contentsOf(again.store.session("a"))).toEqual(contents);
      expect(again.damage).toEqual([]);
      await again.store.close();
    },
  );

  test("a close that cannot land rejects, and the next one finds everything", async () => {
    const { store, machine, faults, host } = await openWithoutApply();
    await store.session("a").append(user("one"));
    await expect(store.close()).rejects.toMatchObject({ code: "DISK_FULL" });
    expect(await contentsAfterKill(machine, "a")).toEqual(["one"]);
    faults.end();
    const again = await openCollecting(jsonlBackend(DIRECTORY, { host }));
    expect(await contentsOf(again.store.session("a"))).toEqual(["one"]);
    await again.store.close();
  });

  test("the journal's space is not used again while something in it has not landed", async () => {
    const { store, machine } = await openWithoutApply("ENOSPC", 500);
    const contents = Array.from({ length: 30 }, (_, number) => `message ${number}`);
    for (const content of contents) {
      await store.session("a").append(user(content));
      await store.session("b").append(user(content));
    }
    expect(await contentsAfterKill(machine, "a")).toEqual(contents);
    expect(await contentsAfterKill(machine, "b")).toEqual(contents);
  });
});

describe("when more than 16 MiB wait to be landed", () => {
  /** Appends messages of 1 MiB until one is refused; resolves with the number of those that were not. */
  async function fill(session: Session): Promise<number> {
    for (let number = 0; number < 30; number++) {
      try {
        await session.append(user(`${number} ${"x".repeat(MIB)}`));
      } catch (error) {
        expect(isLonghandError(error, "DISK_FULL")).toBe(true);
        return number;
      }
    }
    throw new Error("nothing was refused");
  }

  test("appends are refused with DISK_FULL, of every session; reads go on, and nothing acknowledged is lost", async () => {
    const { store, machine, errors } = await openWithoutApply();
    const session = store.session("a");
    const written = await fill(session);
    expect(written).toBeGreaterThanOrEqual(16);
    expect(written).toBeLessThanOrEqual(17);
    await expect(store.session("b").append(user("x"))).rejects.toMatchObject({ code: "DISK_FULL" });
    await expect(session.rewind({ messages: 1 })).rejects.toMatchObject({ code: "DISK_FULL" });
    expect(await session.state()).toMatchObject({ seq: written, count: written });
    expect((await session.messages({ last: 1 }))[0]?.content).toMatch(new RegExp(`^${written - 1} x`));
    expect(await contentsAfterKill(machine, "a")).toHaveLength(written);
    expect(errors).toHaveLength(1);
  });

  test("when there is room again, appends go on without the store being reopened", async () => {
    const { store, faults } = await openWithoutApply();
    const session = store.session("a");
    const written = await fill(session);
    faults.end();
    // The first may still be told of the old failure, if that is what makes the store try again.
    await vi.waitFor(async () => expect(await session.append(user("after"))).toEqual({ seq: written + 1 }), {
      timeout: 60_000,
    });
    expect((await session.messages({ last: 1 }))[0]).toEqual(user("after"));
    await store.close();
  });
});
