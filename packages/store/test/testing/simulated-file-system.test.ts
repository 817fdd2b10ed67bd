/**
 * The simulated file system answers as the real one: the same calls are made on both, and the answers compared. On
 * Linux, whose error codes it gives; others have a few of their own.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Host, OpenFile } from "../../src/host/host.ts";
import { errorCode } from "../../src/host/io-error.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";

const NAMES = ["a", "b", "d", "d/a", "d/e", "d/e/a", "a/x", "missing/x", "n".repeat(256)] as const;

type Call =
  | { do: "open"; path: string; mode: "read" | "write" | "create" }
  | { do: "write" | "read"; handle: number; position: number; length: number }
  | { do: "truncate"; handle: number; position: number }
  | { do: "sync" | "stat" | "close"; handle: number }
  | { do: "mkdir" | "list" | "syncDirectory" | "unlink" | "statPath" | "resolve"; path: string }
  | { do: "rename" | "link"; path: string; to: string }
  | { do: "listen" | "probe"; path: string };

const path = fc.constantFrom(...NAMES);
const handle = fc.nat(5);
const small = fc.nat(20);
const call: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("open"), path, mode: fc.constantFrom("read", "write", "create") }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom("write", "read"), handle, position: small, length: small }),
  },
  fc.record({ do: fc.constant("truncate"), handle, position: small }),
  fc.record({ do: fc.constantFrom("sync", "stat", "close"), handle }),
  { weight: 3, arbitrary: fc.record({ do: fc.constant("mkdir"), path }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom("list", "syncDirectory", "unlink", "statPath", "resolve"),
      path,
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("rename", "link"), path, to: path }) },
  fc.record({ do: fc.constantFrom("listen", "probe"), path }),
);

/** One host with the files it opened so far, in a directory of its own. */
class Caller {
  readonly #host: Host;
  readonly #root: string;
  readonly #files: OpenFile[] = [];
  readonly #closing: (() => Promise<void>)[] = [];

  constructor(host: Host, root: string) {
    this.#host = host;
    this.#root = root;
  }

  /** In a form that can be compared: numbers of inodes and times are left out. */
  async answer(call: Call): Promise<unknown> {
    try {
      return await this.#make(call);
    } catch (error) {
      return errorCode(error) ?? error;
    }
  }

  async end(): Promise<void> {
    for (const close of this.#closing) await close().catch(() => undefined);
  }

  async #make(call: Call): Promise<unknown> {
    const { files, processes } = this.#host;
    if ("handle" in call) {
      const file = this.#files[call.handle];
      return file === undefined ? "no such handle" : await callFile(file, call);
    }
    const at = join(this.#root, call.path);
    switch (call.do) {
      case "open": {
        const file = await files.open(at, call.mode);
        this.#files.push(file);
        this.#closing.push(async () => await file.close());
        return "opened";
      }
      case "mkdir":
        return await done(files.makeDirectory(at));
      case "list":
        return (await files.readDirectory(at)).sort();
      case "syncDirectory":
        return await done(files.syncDirectory(at));
      case "unlink":
        return await done(files.unlink(at));
      case "statPath":
        return comparable(await files.stat(at));
      case "resolve":
        return (await files.resolve(at)).slice(this.#root.length);
      case "rename":
        return await done(files.rename(at, join(this.#root, call.to)));
      case "link":
        return await done(files.link(at, join(this.#root, call.to)));
      case "listen": {
        const presence = await processes.listen(at);
        if (presence !== undefined) this.#closing.push(async () => await presence.close());
        return presence === undefined ? "too long" : "listening";
      }
      case "probe":
        return await processes.probe(at);
    }
  }
}

async function callFile(file: OpenFile, call: Extract<Call, { handle: number }>): Promise<unknown> {
  switch (call.do) {
    case "write":
      return await file.write(Buffer.alloc(call.length, 65 + call.position), call.position);
    case "read": {
      const into = Buffer.alloc(call.length);
      const count = await file.read(into, call.position);
      return into.toString("latin1", 0, count);
    }
    case "truncate":
      return await done(file.truncate(call.position));
    case "sync":
      return await done(file.sync());
    case "stat":
      return comparable(await file.stat());
    case "close":
      return await done(file.close());
  }
}

async function done(call: void | Promise<void>): Promise<string> {
  await call;
  return "done";
}

function comparable(stat: Awaited<ReturnType<Host["files"]["stat"]>>): unknown {
  if (stat === undefined) return "nothing";
  const { kind, size, mode, links } = stat;
  return kind === "directory" ? { kind, mode } : { kind, size, mode, links };
}

async function expectSameAnswers(calls: readonly Call[]): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "lh-"));
  const simulated = new SimulatedMachine().startProcess();
  await simulated.files.makeDirectory("/root");
  const callers = [new Caller(nodeHost, root), new Caller(simulated, "/root")] as const;
  try {
    for (const [index, call] of calls.entries()) {
      const [real, ours] = [await callers[0].answer(call), await callers[1].answer(call)];
      expect({ index, call, answer: ours }).toEqual({ index, call, answer: real });
    }
  } finally {
    for (const caller of callers) await caller.end();
    await rm(root, { recursive: true });
  }
}

const onLinux = test.runIf(process.platform === "linux");

// The same calls in every run: which of two errors comes first is the kernel's to decide, and no reason for a red build.
onLinux("any calls, one after the other", async () => {
  await fc.assert(fc.asyncProperty(fc.array(call, { maxLength: 40 }), expectSameAnswers), {
    numRuns: 300,
    seed: 1,
  });
});

onLinux("the errors one meets", async () => {
  const open = (path: string, mode: "read" | "write" | "create"): Call => ({ do: "open", path, mode });
  await expectSameAnswers([
    { do: "mkdir", path: "d" },
    { do: "mkdir", path: "d" },
    open("d", "read"),
    open("d", "write"),
    open("d", "create"),
    open("a", "read"),
    open("a", "create"),
    open("a", "create"),
    open("a/x", "create"),
    open("missing/x", "create"),
    open("n".repeat(256), "create"),
    { do: "link", path: "a", to: "d/a" },
    { do: "link", path: "a", to: "d/a" },
    { do: "link", path: "d", to: "b" },
    { do: "link", path: "b", to: "d/b" },
    { do: "statPath", path: "d/a" },
    { do: "rename", path: "a", to: "d/a" },
    { do: "rename", path: "a", to: "d" },
    { do: "rename", path: "d/a", to: "d" },
    { do: "rename", path: "d", to: "a" },
    { do: "rename", path: "d", to: "d/e" },
    { do: "rename", path: "b", to: "a" },
    { do: "mkdir", path: "b" },
    { do: "rename", path: "b", to: "d" },
    { do: "rename", path: "d", to: "b" },
    { do: "unlink", path: "b" },
    { do: "unlink", path: "d" },
    { do: "link", path: "a", to: "c" },
    { do: "statPath", path: "c" },
    { do: "unlink", path: "c" },
    { do: "statPath", path: "a" },
    { do: "link", path: "a", to: "c" },
    open("e", "create"),
    { do: "rename", path: "e", to: "c" },
    { do: "statPath", path: "a" },
    { do: "statPath", path: "c" },
    { do: "list", path: "a" },
    { do: "list", path: "missing/x" },
    { do: "syncDirectory", path: "a" },
    { do: "statPath", path: "a/x" },
    { do: "statPath", path: "b/a" },
    { do: "listen", path: "s" },
    { do: "listen", path: "s" },
    { do: "listen", path: "missing/x" },
    { do: "listen", path: "a/x" },
    { do: "listen", path: "x".repeat(120) },
    { do: "probe", path: "s" },
    { do: "probe", path: "a" },
    { do: "probe", path: "missing" },
    { do: "probe", path: "a/x" },
    open("s", "read"),
    { do: "statPath", path: "s" },
    open("a", "read"),
    { do: "write", handle: 2, position: 0, length: 1 },
    { do: "truncate", handle: 2, position: 0 },
    { do: "close", handle: 2 },
    { do: "close", handle: 2 },
    { do: "read", handle: 2, position: 0, length: 1 },
  ]);
});
