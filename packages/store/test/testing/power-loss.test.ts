/** What a power loss may leave, seen through the public face: what must survive, and what must be lost somewhere. */

import { describe, expect, test } from "vitest";
import type { FileSystem } from "../../src/host/host.ts";
import { failingHost } from "../../src/testing/failing-host.ts";
import { failOnce } from "../../src/testing/fault-plan.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { createText, type DiskContents } from "./support/read-disk.ts";
import { readStates } from "./support/read-states.ts";

async function machineWith(prepare: (files: FileSystem) => Promise<void>): Promise<SimulatedMachine> {
  const machine = new SimulatedMachine();
  await prepare(machine.startProcess().files);
  return machine;
}

/** A file that is durable with its name; the handle stays open. */
async function durable(files: FileSystem, path: string, text: string) {
  const file = await createText(files, path, text);
  await file.sync();
  await files.syncDirectory("/");
  return file;
}

const at = (states: readonly DiskContents[], path: string): (string | undefined)[] =>
  [...new Set(states.map((contents) => contents[path]))].sort();

describe("contents", () => {
  test("synced, with a synced name, survive in the only state there is", async () => {
    const machine = await machineWith(async (files) => {
      await durable(files, "/a", "hello");
    });
    expect(await readStates(machine)).toEqual([{ "/a": "hello" }]);
  });

  test("not synced are kept, lost, torn, NUL, only the tail, or NUL after a prefix", async () => {
    const machine = await machineWith(async (files) => {
      const file = await durable(files, "/a", "old-");
      await file.write(Buffer.from("abcd"), 4);
    });
    expect(at(await readStates(machine), "/a")).toEqual(
      ["old-abcd", "old-", "old-ab", "old-ab\0\0", "old-\0\0cd", "old-\0\0\0\0"].sort(),
    );
  });

  test("written over durable ones leave either in each part", async () => {
    const machine = await machineWith(async (files) => {
      const file = await durable(files, "/a", "12345678");
      await file.write(Buffer.from("abcd"), 2);
    });
    expect(at(await readStates(machine), "/a")).toEqual(
      ["12abcd78", "12345678", "12ab5678", "1234cd78", "12\0\0\0\x0078"].sort(),
    );
  });

  test("are torn at every border of a sector, and once inside one", async () => {
    const machine = await machineWith(async (files) => {
      const file = await durable(files, "/a", "-".repeat(500));
      await file.write(Buffer.alloc(1200, "x"), 500);
    });
    const prefixes = at(await readStates(machine), "/a").filter((text) => /^-{500}x*$/.test(text ?? ""));
    expect(prefixes.map((text) => text?.length).sort()).toEqual([1024, 1100, 1536, 1700, 500, 512]);
  });

  test("of one long write get in in any order: each sector in the middle may be the only one, or the only one missing", async () => {
    const machine = await machineWith(async (files) => {
      const file = await durable(files, "/a", "-".repeat(2048));
      await file.write(Buffer.from(["a", "b", "c", "d"].map((letter) => letter.repeat(512)).join("")), 0);
    });
    const sectors = at(await readStates(machine), "/a").map((text) => text?.replaceAll(/(.)\1{511}/g, "$1"));
    expect(sectors).toEqual(expect.arrayContaining(["a-cd", "ab-d", "-b--", "--c-"]));
  });

  test("of a write of many sectors get in by blocks", async () => {
    const machine = await machineWith(async (files) => {
      const file = await durable(files, "/a", "");
      await file.write(Buffer.alloc(3 * 4096, "x"), 0);
    });
    const blocks = at(await readStates(machine), "/a").map((text) => text?.replaceAll(/(.)\1{4095}/gs, "$1"));
    expect(blocks).toContain("x\0x");
    expect(blocks).toContain("\0x");
  });

  test("of two writes have their fates independently, and in order where they overlap", async () => {
    const machine = await machineWith(async (files) => {
      const file = await durable(files, "/a", "....");
      await file.write(Buffer.from("A"), 0);
      await file.write(Buffer.from("BB"), 0);
    });
    const found = at(await readStates(machine), "/a");
    expect(found).toEqual(
      expect.arrayContaining(["BB..", "A...", "....", "AB..", "B...", "\0B..", "\0\0.."]),
    );
    expect(found).not.toContain("BA..");
  });

  test("cut off by a truncate that is not synced may be back, whole or not", async () => {
    const machine = await machineWith(async (files) => {
      const file = await durable(files, "/a", "12345678");
      await file.truncate(4);
      await file.write(Buffer.from("Z"), 4);
    });
    const found = at(await readStates(machine), "/a");
    expect(found).toEqual(expect.arrayContaining(["1234Z", "1234", "12345678", "1234Z678"]));
  });

  test("are those of the moment of the write, whatever becomes of the buffer", async () => {
    const machine = await machineWith(async (files) => {
      const file = await durable(files, "/a", "");
      const buffer = Buffer.from("good");
      await file.write(buffer, 0);
      buffer.fill("!");
    });
    expect(at(await readStates(machine), "/a").join()).not.toContain("!");
  });

  test("are all as they were after the sync, whatever came before", async () => {
    const machine = await machineWith(async (files) => {
      const file = await durable(files, "/a", "12345678");
      await file.truncate(4);
      await file.write(Buffer.from("Z"), 6);
      await file.sync();
    });
    expect(await readStates(machine)).toEqual([{ "/a": "1234\0\0Z" }]);
  });
});

describe("a failed sync", () => {
  async function writeAfterFailedSync(more?: { text: string; position: number }): Promise<SimulatedMachine> {
    const machine = new SimulatedMachine();
    const { files } = machine.startProcess();
    const file = await durable(files, "/a", "old");
    await file.close();
    const failing = failingHost(machine.startProcess(), ({ operation }) =>
      operation === "sync" ? failFirst() : undefined,
    );
    let failures = 0;
    const failFirst = () => ((failures += 1) === 1 ? ({ kind: "error", code: "EIO" } as const) : undefined);
    const handle = await failing.files.open("/a", "write");
    await handle.write(Buffer.from("new"), 3);
    await expect(handle.sync()).rejects.toMatchObject({ code: "EIO" });
    if (more !== undefined) await handle.write(Buffer.from(more.text), more.position);
    await handle.sync();
    return machine;
  }

  test("loses its writes for good, though they are seen and the next sync says yes", async () => {
    const machine = await writeAfterFailedSync();
    const seen = await machine.startProcess().files.open("/a", "read");
    expect((await seen.stat()).size).toBe(6);
    expect(await readStates(machine)).toEqual([{ "/a": "old" }]);
  });

  test("does no harm to bytes that are written again", async () => {
    const machine = await writeAfterFailedSync({ text: "new", position: 3 });
    expect(await readStates(machine)).toEqual([{ "/a": "oldnew" }]);
  });

  test("is not healed by other bytes that are written and synced later", async () => {
    const machine = await writeAfterFailedSync({ text: "later", position: 6 });
    expect(await readStates(machine)).toEqual([{ "/a": "old\0\0\0later" }]);
  });

  test("keeps losing after a kill: the disk remembers, not the process", async () => {
    const machine = (await writeAfterFailedSync()).capture().afterKill();
    expect(await readStates(machine)).toEqual([{ "/a": "old" }]);
  });

  test("of a directory loses its name changes for good", async () => {
    const machine = new SimulatedMachine();
    const failing = failingHost(machine.startProcess(), failOnce(3, { kind: "error", code: "EIO" }));
    await (await createText(failing.files, "/a", "")).sync();
    await expect(failing.files.syncDirectory("/")).rejects.toMatchObject({ code: "EIO" });
    await failing.files.syncDirectory("/");
    expect(await failing.files.readDirectory("/")).toEqual(["a"]);
    expect(await readStates(machine)).toEqual([{}]);
  });
});

describe("names", () => {
  test("of synced files are lost without a sync of the directory", async () => {
    const machine = await machineWith(async (files) => {
      await (await createText(files, "/a", "hello")).sync();
    });
    expect(await readStates(machine)).toEqual([{ "/a": "hello" }, {}]);
  });

  test("renamed without syncing the file first: the empty file is among the states", async () => {
    const machine = await machineWith(async (files) => {
      await durable(files, "/config", "old");
      await createText(files, "/config.new", "new");
      await files.rename("/config.new", "/config");
      await files.syncDirectory("/");
    });
    expect(await readStates(machine)).toContainEqual({ "/config": "" });
  });

  test("renamed after syncing the file: the old or the new, never anything else", async () => {
    const machine = await machineWith(async (files) => {
      await durable(files, "/config", "old");
      await (await createText(files, "/config.new", "new")).sync();
      await files.syncDirectory("/");
      await files.rename("/config.new", "/config");
    });
    expect(await readStates(machine)).toEqual([
      { "/config": "new" },
      { "/config": "old", "/config.new": "new" },
    ]);
  });

  test("changed several times are kept or lost in any subset", async () => {
    const machine = await machineWith(async (files) => {
      await durable(files, "/a", "A");
      await files.link("/a", "/b");
      await files.unlink("/a");
    });
    const states = await readStates(machine);
    expect(states).toHaveLength(4);
    expect(states).toEqual(
      expect.arrayContaining([{ "/b": "A" }, { "/a": "A", "/b": "A" }, { "/a": "A" }, {}]),
    );
  });

  async function moveAcross(sync: readonly string[]): Promise<DiskContents[]> {
    const machine = await machineWith(async (files) => {
      for (const path of ["/from", "/to"]) await files.makeDirectory(path);
      await files.syncDirectory("/");
      await (await createText(files, "/from/a", "A")).sync();
      await files.syncDirectory("/from");
      await files.rename("/from/a", "/to/a");
      for (const path of sync) await files.syncDirectory(path);
    });
    return await readStates(machine);
  }

  const moved = { "/from": "directory", "/to": "directory", "/to/a": "A" };
  const notMoved = { "/from": "directory", "/from/a": "A", "/to": "directory" };

  test.each([[[]], [["/from"]], [["/to"]]])(
    "moved between directories with %j synced: in one of them, never in both or none",
    async (sync) => {
      expect(await moveAcross(sync)).toEqual([moved, notMoved]);
    },
  );

  test("moved between directories with both synced have moved", async () => {
    expect(await moveAcross(["/from", "/to"])).toEqual([moved]);
  });

  test("durable ahead of an earlier change in the same place are not undone by it", async () => {
    const machine = await machineWith(async (files) => {
      for (const path of ["/from", "/to"]) await files.makeDirectory(path);
      await files.syncDirectory("/");
      await (await createText(files, "/from/a", "A")).sync();
      await files.syncDirectory("/from");
      await files.rename("/from/a", "/to/a");
      await (await createText(files, "/from/a", "B")).sync();
      await files.syncDirectory("/from");
    });
    const states = await readStates(machine);
    expect(at(states, "/from/a")).toEqual(["B"]);
    expect(at(states, "/to/a")).toEqual(["A", undefined]);
  });

  test("in a directory go with it", async () => {
    const machine = await machineWith(async (files) => {
      await files.makeDirectory("/d");
      await (await createText(files, "/d/a", "A")).sync();
      await files.syncDirectory("/d");
    });
    expect(await readStates(machine)).toEqual([{ "/d": "directory", "/d/a": "A" }, {}]);
  });

  test("of directories: one each, where a subset would put it in itself", async () => {
    const machine = await machineWith(async (files) => {
      await files.makeDirectory("/a");
      await files.makeDirectory("/a/b");
      await files.syncDirectory("/");
      await files.syncDirectory("/a");
      await files.rename("/a/b", "/b");
      await files.rename("/a", "/c");
      await files.rename("/c", "/b/a");
    });
    for (const contents of await readStates(machine)) expect(Object.keys(contents).length).toBeLessThan(3);
    expect(machine.describe()).toContain("not durable: rename /c to /b/a");
  });

  test("of one file: its links are counted anew", async () => {
    const machine = await machineWith(async (files) => {
      await durable(files, "/a", "A");
      await files.link("/a", "/b");
    });
    const links: (number | undefined)[] = [];
    for (const state of machine.capture().afterPowerLoss()) {
      links.push((await state.startProcess().files.stat("/a"))?.links);
    }
    expect(links).toEqual([2, 1]);
  });
});

describe("a state", () => {
  test("is durable as it is: a second power loss takes nothing more", async () => {
    const machine = await machineWith(async (files) => {
      await createText(files, "/a", "hello");
    });
    for (const state of machine.capture().afterPowerLoss()) {
      expect(state.capture().afterPowerLoss()).toMatchObject({ count: 1, exhaustive: true });
    }
  });

  test("can be told apart in a failure message", async () => {
    const machine = await machineWith(async (files) => {
      const file = await durable(files, "/a", "");
      await file.write(Buffer.from("abcd"), 0);
      await files.link("/a", "/b");
    });
    const stories = [...machine.capture().afterPowerLoss()].map((state) => state.describe());
    expect(new Set(stories).size).toBe(stories.length);
    expect(stories[0]).toBe("power loss; nothing lost\n/a  #2 4 bytes\n/b  #2 4 bytes");
    expect(stories).toContain(
      "power loss\n  link /a to /b: lost\n  #2: write of 4 bytes at 0: only its bytes 0 to 2\n/a  #2 2 bytes",
    );
  });
});
