/**
 * A directory that cannot be opened to be synced (EMFILE): the write is refused, and the store goes on. What it had named
 * is durable before the next write relies on it.
 */

import { expect, test } from "vitest";
import { jsonlBackend, openStore, type Session, type Store } from "../../src/index.ts";
import { failingHost, SimulatedMachine } from "../../src/testing/index.ts";
import { withInstance } from "../support/begin-instance.ts";
import { contentsOf, user } from "../support/conversation.ts";

interface Broken {
  readonly machine: SimulatedMachine;
  readonly store: Store;
  code: string | undefined;
}

async function begin(): Promise<Broken> {
  const machine = new SimulatedMachine(3);
  const broken: { code: string | undefined } = { code: undefined };
  const host = failingHost(machine.startProcess(), ({ operation }) =>
    broken.code !== undefined && operation === "syncDirectory"
      ? { kind: "error", code: broken.code }
      : undefined,
  );
  const quiet = { onError: () => undefined };
  const store = await withInstance(await openStore(jsonlBackend("/s", { host, segmentBytes: 300 }), quiet));
  return Object.assign(broken, { machine, store });
}

const STEPS: readonly (readonly [string, (session: Session) => Promise<unknown>])[] = [
  ["seal", async (session) => await session.append(user("after"))],
  ["archive", async (session) => await session.archive()],
  ["delete", async (session) => await session.delete()],
  ["fork", async (session) => await session.fork("b")],
  ["begin", async (session) => await session.fork("c").then(async (child) => await child.append(user("x")))],
];

test.each(STEPS)(
  "%s is refused with IO_FAILED; the next write counts, also after a power cut",
  async (_name, step) => {
    const broken = await begin();
    const { store, machine } = broken;
    const session = store.session("a");
    await session.append(user("a long message that makes the file long enough to be sealed ".repeat(5)));
    broken.code = "EMFILE";
    const detail = { errno: "EMFILE", names: "unknown" };
    await expect(step(session)).rejects.toMatchObject({ code: "IO_FAILED", detail });
    broken.code = undefined;
    const { seq } = await session.append(user("acknowledged"));
    const seen = await contentsOf(session);
    expect(seen.at(-1)).toBe("acknowledged");
    for (const state of machine.capture().afterPowerLoss({ limit: 50 })) {
      const reopened = await openStore(jsonlBackend("/s", { host: state.startProcess() }));
      expect((await contentsOf(reopened.session("a"))).at(-1)).toBe("acknowledged");
      expect((await reopened.session("a").state())?.seq).toBe(seq);
      await reopened.close();
    }
    await store.close();
  },
);

test("control: a sync that has failed ends the store", async () => {
  const broken = await begin();
  broken.code = "EIO";
  const session = broken.store.session("a");
  await expect(session.append(user("x"))).rejects.toMatchObject({ code: "STORE_FAILED" });
  broken.code = undefined;
  await expect(session.append(user("y"))).rejects.toMatchObject({ code: "STORE_FAILED" });
  await broken.store.close();
});
