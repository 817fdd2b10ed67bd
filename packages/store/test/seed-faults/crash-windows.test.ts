/** Seed fault 15: what was cleared shows again after a crash; damaged lines vanish with the next rewrite. */

import { readFile, writeFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type Session } from "../../src/index.ts";
import type { Host } from "../../src/host/host.ts";
import { writeFully } from "../../src/host/write-fully.ts";
import { SimulatedMachine, type Capture } from "../../src/testing/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const SECRETS = ["secret one", "secret two", "secret three"];
/** Power-loss states looked at for each moment. */
const STATES = 15;

interface View {
  readonly contents: readonly unknown[];
  readonly summary: string | undefined;
}

async function viewOf(session: Session): Promise<View> {
  return { contents: await contentsOf(session), summary: (await session.state())?.summary };
}

interface Window {
  readonly before: View;
  readonly after: View;
  /** The disk after each operation of the change, and whether the change was acknowledged by then. */
  readonly moments: readonly { readonly capture: Capture; readonly acknowledged: boolean }[];
}

async function recordChange(change: (session: Session) => Promise<unknown>): Promise<Window> {
  const machine = new SimulatedMachine(11);
  // A small journal, so that closing the window includes using its space again.
  const backend = jsonlBackend("/store", { host: machine.startProcess(), journalBytes: 300 });
  const store = await openStore(backend);
  const session = store.session("a");
  await session.append(SECRETS.map(user));
  await session.setSummary("they told secrets");
  const before = await viewOf(session);
  const moments: { capture: Capture; acknowledged: boolean }[] = [];
  let acknowledged = false;
  machine.onOperation(({ changedDisk }) => {
    if (changedDisk) moments.push({ capture: machine.capture(), acknowledged });
  });
  await change(session);
  acknowledged = true;
  const after = await viewOf(session);
  await session.note("later", {});
  await store.close();
  return { before, after, moments };
}

/** Every disk that a kill or a power cut may leave in the window. */
async function findMix(
  { before, after, moments }: Window,
  read: (host: Host) => Promise<View>,
): Promise<{ states: number; mix: string | undefined }> {
  let states = 0;
  for (const { capture, acknowledged } of moments) {
    for (const machine of [capture.afterKill(), ...capture.afterPowerLoss({ limit: STATES })]) {
      states += 1;
      const story = machine.describe();
      const view = await read(machine.startProcess());
      const isRight = isDeepStrictEqual(view, after) || (!acknowledged && isDeepStrictEqual(view, before));
      if (!isRight) return { states, mix: `${JSON.stringify(view)}\n${story}` };
    }
  }
  return { states, mix: undefined };
}

async function readByStore(host: Host): Promise<View> {
  const store = await openStore(jsonlBackend("/store", { host }));
  const view = await viewOf(store.session("a"));
  await store.close();
  return view;
}

describe("seed fault 15: a crash while history is cleared or compacted shows the old messages again", () => {
  test.each<readonly [string, (session: Session) => Promise<unknown>]>([
    [
      "replace",
      async (session) => await session.replace([user("new one"), user("new two")], { summary: "new" }),
    ],
    ["replace by nothing", async (session) => await session.replace([])],
    ["compact", async (session) => await session.compact({ summary: "in short", keepFrom: 3 })],
    ["truncate", async (session) => await session.truncate({ keepLast: 0 })],
    ["rewind", async (session) => await session.rewind({ messages: 2 })],
  ])(
    "%s: the old view or the new one, never a mix, and only the new one once it is acknowledged",
    async (_, change) => {
      const window = await recordChange(change);
      expect(window.after).not.toEqual(window.before);
      expect(window.moments.some(({ acknowledged }) => acknowledged)).toBe(true);
      const { states, mix } = await findMix(window, readByStore);
      expect(mix).toBeUndefined();
      expect(states).toBeGreaterThan(50);
    },
  );

  test("control: a file that is written anew in place does leave a mix", async () => {
    const machine = new SimulatedMachine(11);
    const { files } = machine.startProcess();
    const file = await files.open("/history", "create");
    await writeFully(file, Buffer.from(`${SECRETS.join("\n")}\n`), 0);
    await file.sync();
    await files.syncDirectory("/");
    const moments: { capture: Capture; acknowledged: boolean }[] = [];
    machine.onOperation(() => moments.push({ capture: machine.capture(), acknowledged: false }));
    await file.truncate(0);
    await writeFully(file, Buffer.from("new one\nnew two\n"), 0);
    await file.sync();
    const view = (contents: readonly string[]): View => ({ contents, summary: undefined });
    const window = { before: view(SECRETS), after: view(["new one", "new two"]), moments };
    const { mix } = await findMix(window, async (host) => {
      const bytes = Buffer.alloc(1000);
      const length = await (await host.files.open("/history", "read")).read(bytes, 0);
      return view(bytes.toString("utf8", 0, length).split("\n").slice(0, -1));
    });
    expect(mix).toContain('{"contents":[]}');
  });
});

test("seed fault 15: corrupt lines vanish at the next rewrite", async () => {
  const directory = await makeTemporaryDirectory();
  try {
    const path = sessionFile(directory, "a");
    const first = await openStore(directory);
    for (const content of ["one", "two", "three", "four"]) await first.session("a").append(user(content));
    await first.close();
    await writeFile(path, (await readFile(path, "utf8")).replace('"two"', '"2wo"'));
    const bad = (await readFile(path, "utf8")).split("\n")[2] ?? "";

    const { store, damage } = await openCollecting(directory);
    const session = store.session("a");
    await session.compact({ summary: "one and two", keepFrom: 3 });
    await session.rewind({ messages: 1 });
    await session.truncate({ keepLast: 1 });
    await session.replace([user("all new")]);
    expect((await session.state())?.damaged).toBe(1);
    await store.close();
    expect(damage).toHaveLength(1);
    expect(bad).toContain("2wo");
    expect((await readFile(path, "utf8")).split("\n")[2]).toBe(bad);

    const again = await openCollecting(directory);
    expect(await contentsOf(again.store.session("a"))).toEqual(["all new"]);
    expect(again.damage).toEqual(damage);
    await again.store.close();
  } finally {
    await removeDirectory(directory);
  }
});
