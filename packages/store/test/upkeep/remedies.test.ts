/** What a report advises must be possible, and must lead out: no two remedies wait for each other. */

import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type Damage, type VerifyReport } from "../../src/index.ts";
import type { Host } from "../../src/host/host.ts";
import { failingHost, SimulatedMachine } from "../../src/testing/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { closedStore, DIRECTORY } from "../support/simulated-store.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

describe("a header is damaged by more than a bit, and the session has a sealed file", () => {
  let root: string;
  let directory: string;
  let path: string;
  let sealed: string;

  beforeEach(async () => {
    root = await makeTemporaryDirectory();
    directory = join(root, "store");
    path = join(directory, "a.jsonl");
    const store = await openStore(directory);
    await store.session("a").append(user("1"));
    await store.reclaim({ seal: true });
    await store.session("a").append(user("2"));
    const id = (await store.session("a").state())?.id ?? "";
    await store.close();
    sealed = join(directory, "segments", id);
    const content = await readFile(path, "utf8");
    await writeFile(
      path,
      content.replace('"longhand"', '"longhamd"').replace(/"crc":"[0-9a-f]{8}"/, '"crc":"zzzzzzzz"'),
    );
  });

  afterEach(async () => {
    await removeDirectory(root);
  });

  async function repair(): Promise<VerifyReport> {
    const { store } = await openCollecting(directory);
    const report = await store.repair();
    await store.close();
    return report;
  }

  const leftOf = (damage: readonly Damage[], file: string): string | undefined =>
    damage.find((each) => each.file === file)?.left;

  async function isWhole(): Promise<void> {
    const { store } = await openCollecting(directory);
    expect((await store.verify()).damage).toEqual([]);
    expect(await contentsOf(store.session("a"))).toEqual(["1", "2"]);
    await store.close();
  }

  test("a file that the chain does not name is in the way: the remedy names it, and doing it is enough", async () => {
    const stranger = join(sealed, "99.jsonl");
    await writeFile(stranger, "not ours");
    const { damage } = await repair();
    expect(leftOf(damage, path)).toContain(
      `${stranger} is there, which its header does not name: move that out`,
    );
    expect(leftOf(damage, sealed)).toContain(`it may belong to ${path}`);
    await rename(stranger, join(root, "moved"));
    await repair();
    await isWhole();
  });

  test("a sealed file is gone: the remedy names it, and doing it is enough", async () => {
    const gone = join(sealed, "0.jsonl.gz");
    await rename(gone, join(root, "moved"));
    const { damage } = await repair();
    expect(leftOf(damage, path)).toMatch(
      /its sealed file \S+\/0\.jsonl is damaged too \(.+ is not there\): put that file back/,
    );
    await rename(join(root, "moved"), gone);
    await repair();
    await isWhole();
  });

  test("nothing of the header is left: the file is to be put back, and its sealed files wait for that", async () => {
    const whole = await readFile(path, "utf8");
    await writeFile(path, whole.replace(/^.*\n/, "garbage\n"));
    const { damage } = await repair();
    expect(leftOf(damage, path)).toContain("put the file back from a backup");
    expect(leftOf(damage, sealed)).toContain(`leave it until that file is mended, put back or moved out`);
    await writeFile(path, whole);
    await repair();
    await isWhole();
  });

  test("and the sealed files are moved away with it when both are given up", async () => {
    await writeFile(path, "garbage\n");
    await repair();
    await rm(path);
    await repair();
    const { store } = await openCollecting(directory);
    expect((await store.verify()).damage).toEqual([]);
    await store.close();
  });
});

describe("this user may not read a file", () => {
  /** A host to which this file is closed. */
  const without = (host: Host, isClosed: (path: string) => boolean): Host =>
    failingHost(host, (call) =>
      isClosed(call.path) && (call.operation === "open" || call.operation === "openForWriting")
        ? { kind: "error", code: "EACCES" }
        : undefined,
    );

  test("an active one: that is said, with chmod as the remedy; it is not told to be damaged", async () => {
    const capture = await closedStore(async (store) => await store.session("a").append(user("1")));
    const path = `${DIRECTORY}/a.jsonl`;
    const host = without(capture.afterKill().startProcess(), (each) => each === path);
    const { store } = await openCollecting(jsonlBackend(DIRECTORY, { host }), { readOnly: true });
    const { damage } = await store.verify();
    expect(damage).toEqual([
      {
        ...{ file: path, offset: 0, bytes: 0, kind: "corrupt", notPermitted: true },
        reason: "it may not be read by this user (EACCES)",
        left: `let this user read and write it, as the owner of the file: chmod u+rw ${path}`,
      },
    ]);
    await store.close();
  });

  test("a sealed one: a repair leaves the session, and gives up no record of it", async () => {
    const machine = new SimulatedMachine(5);
    const process = machine.startProcess();
    const first = await openStore(jsonlBackend(DIRECTORY, { host: process }));
    await first.session("a").append(user("1"));
    await first.reclaim({ seal: true });
    await first.session("a").append(user("2"));
    await first.close();
    const host = without(process, (each) => each.includes("/segments/"));
    const { store } = await openCollecting(jsonlBackend(DIRECTORY, { host }));
    const report = await store.repair();
    expect(report.lost).toBeUndefined();
    expect(report.damage).toMatchObject([
      { notPermitted: true, left: expect.stringContaining("chmod u+rw") as string },
    ]);
    await store.close();
    const again = await openCollecting(jsonlBackend(DIRECTORY, { host: process }));
    expect(await contentsOf(again.store.session("a"))).toEqual(["1", "2"]);
    await again.store.close();
  });
});
