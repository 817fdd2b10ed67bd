/**
 * Moments between two calls of one process in which another does something: what a simulator that runs one process at a
 * time never meets. Each of these has once lost acknowledged records.
 */

import { describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type Store } from "../../src/index.ts";
import type { FileSystem, Host } from "../../src/host/host.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { contentsOf, user } from "../support/conversation.ts";

/** Calls `before` ahead of every call of the host's files. */
function interrupted(host: Host, before: (call: string, path: string, mode?: string) => Promise<void>): Host {
  const files: FileSystem = {
    ...unbound(host.files),
    open: async (path, mode) => {
      await before("open", path, mode);
      return await host.files.open(path, mode);
    },
    unlink: async (path) => {
      await before("unlink", path);
      await host.files.unlink(path);
    },
  };
  return {
    files,
    processes: host.processes,
    user: host.user,
    now: () => host.now(),
    randomBytes: (length) => host.randomBytes(length),
    wait: async (milliseconds, background) => await host.wait(milliseconds, background),
  };
}

function unbound(files: FileSystem): FileSystem {
  return {
    open: async (path, mode) => await files.open(path, mode),
    makeDirectory: async (path) => await files.makeDirectory(path),
    readDirectory: async (path) => await files.readDirectory(path),
    syncDirectory: async (path) => await files.syncDirectory(path),
    rename: async (from, to) => await files.rename(from, to),
    link: async (from, to) => await files.link(from, to),
    unlink: async (path) => await files.unlink(path),
    removeDirectory: async (path) => await files.removeDirectory(path),
    typeAt: async (path) => await files.typeAt(path),
    stat: async (path) => await files.stat(path),
    resolve: async (path) => await files.resolve(path),
    checkWritable: async (path) => {
      await files.checkWritable(path);
    },
  };
}

async function open(host: Host, damage: unknown[] = []): Promise<Store> {
  return await openStore(jsonlBackend("/store", { host, segmentBytes: 800 }), {
    onDamage: (place) => damage.push(place),
    onError: () => undefined,
  });
}

describe("between two calls of one process, another", () => {
  test("seals the session whose old records are being replayed: they do not go into its next file", async () => {
    const machine = new SimulatedMachine(1);
    const hostA = machine.startProcess();
    const a = await open(hostA);
    for (const text of ["1", "2", "3"]) await a.session("a").append(user(text.padEnd(100)));
    const b = await open(machine.startProcess());
    await b.session("a").append(user("4".padEnd(100)));
    hostA.kill();
    let isDone = false;
    const damage: unknown[] = [];
    const c = await open(
      interrupted(machine.startProcess(), async (call, path, mode) => {
        if (isDone || call !== "open" || mode !== "write" || path !== "/store/a.jsonl") return;
        isDone = true;
        for (const text of ["5", "6", "7", "8"]) await b.session("a").append(user(text.padEnd(60)));
      }),
      damage,
    );
    // The moment was met, and the file was sealed in it.
    expect(isDone).toBe(true);
    const texts = (await contentsOf(c.session("a"))).map((text) => text.trim());
    expect(texts).toEqual(["1", "2", "3", "4", "5", "6", "7", "8"]);
    expect([...damage, ...(await c.verify()).damage]).toEqual([]);
    await b.close();
    await c.close();
  });

  test("takes the lease whose giving up has failed half way: only one of them writes at a time", async () => {
    const machine = new SimulatedMachine(1);
    let fails = 0;
    const a = await open(
      interrupted(machine.startProcess(), async (call, path) => {
        await Promise.resolve();
        if (fails === 0 || call !== "unlink" || !/\/leases\/..\/a\.\d+$/.test(path)) return;
        fails -= 1;
        throw Object.assign(new Error("EIO"), { code: "EIO" });
      }),
    );
    await a.session("a").append(user("a1"));
    fails = 1;
    const b = await open(machine.startProcess());
    const seqs: number[] = [];
    for (const [store, text] of [
      [b, "b2"],
      [a, "a3"],
      [b, "b4"],
      [a, "a5"],
    ] as const) {
      seqs.push((await store.session("a").append(user(text))).seq);
    }
    expect(fails).toBe(0);
    expect(seqs).toEqual([2, 3, 4, 5]);
    expect(await contentsOf(b.session("a"))).toEqual(["a1", "b2", "a3", "b4", "a5"]);
    await a.close();
    await b.close();
  });

  test("repairs the session that is being read: every good record is read, each once", async () => {
    const machine = new SimulatedMachine(1);
    const writer = await open(machine.startProcess());
    for (const text of ["1", "2", "3", "4", "5"]) await writer.session("a").append(user(text));
    await writer.close();
    const file = await machine.startProcess().files.open("/store/a.jsonl", "write");
    const bytes = Buffer.alloc((await file.stat()).size);
    await file.read(bytes, 0);
    const second = bytes.indexOf('{"seq":2');
    await file.write(Buffer.from("!"), second + 30);
    await file.close();
    const reader = await openStore(jsonlBackend("/store", { host: machine.startProcess() }), {
      readOnly: true,
      onDamage: () => undefined,
    });
    const mender = await open(machine.startProcess());
    const seqs: number[] = [];
    const records = reader.session("a").records({ reverse: true })[Symbol.asyncIterator]();
    for (let next = await records.next(); next.done !== true; next = await records.next()) {
      seqs.push(next.value.seq);
      if (seqs.length === 1) await mender.repair();
    }
    expect(seqs).toEqual([5, 4, 3, 1]);
    await mender.close();
    await reader.close();
  });
});
