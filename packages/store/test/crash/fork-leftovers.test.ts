/** What tells the sealed files of a fork that never came to be from those of one that lives. */

import { expect, test } from "vitest";
import { jsonlBackend } from "../../src/backends/jsonl/jsonl-backend.ts";
import type { FileSystem, Host } from "../../src/host/host.ts";
import { openStore } from "../../src/open-store.ts";
import type { Store } from "../../src/contract/types.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { systemError } from "../../src/testing/system-error.ts";
import { withInstance } from "../support/begin-instance.ts";
import { user } from "../support/conversation.ts";

const DIRECTORY = "/store";
const STUB = /\/\.new-[0-9A-Z]{26}-[0-9]+\.[0-9A-Z]{26}$/;

async function open(host: Host): Promise<Store> {
  const quiet = { onDamage: () => undefined, onError: () => undefined };
  return await openStore(jsonlBackend(DIRECTORY, { host, segmentBytes: 400 }), quiet);
}

/** Some of its calls are others. */
function withFiles(host: Host, changed: (files: FileSystem) => Partial<FileSystem>): Host {
  const changes = changed(host.files);
  const files = new Proxy(host.files, {
    get: (target, name: keyof FileSystem): unknown => changes[name] ?? target[name].bind(target),
  });
  return {
    files,
    processes: host.processes,
    user: host.user,
    now: () => host.now(),
    randomBytes: (length) => host.randomBytes(length),
    wait: async (milliseconds, background) => await host.wait(milliseconds, background),
  };
}

async function contents(store: Store, key: string): Promise<unknown[]> {
  return (await store.session(key).messages()).map(({ content }) => content);
}

async function stubs(host: Host): Promise<string[]> {
  return (await host.files.readDirectory(`${DIRECTORY}/.longhand/new`)).filter((name) =>
    STUB.test(`/${name}`),
  );
}

test("the stub of a dead one, of a fork that has its name, costs it nothing, wherever it is moved meanwhile", async () => {
  const machine = new SimulatedMachine(1);
  const forker = machine.startProcess();
  const neighbour = await withInstance(await open(machine.startProcess()));
  const parent = (await open(forker)).session("x");
  for (const text of ["one", "two", "three"]) await parent.append(user(text));
  machine.onOperation(({ operation, to }) => {
    if (operation === "link" && to === `${DIRECTORY}/child.jsonl`) forker.kill();
  });
  await expect(parent.fork("child")).rejects.toThrow();
  // A seal: the active file is another than the stub from now on.
  await neighbour.session("child").append(user("own"));
  await neighbour.session("child").delete();
  expect(await stubs(machine.startProcess())).toHaveLength(1);

  let lists = 0;
  const opener = withFiles(machine.startProcess(), (files) => ({
    readDirectory: async (path) => {
      const names = await files.readDirectory(path);
      // The active sessions; then it comes out of the trash, before that is looked at.
      if (path === DIRECTORY && ++lists === 1) await neighbour.session("child").restore();
      return names;
    },
  }));
  const late = await open(opener);
  if (lists < 1) await neighbour.session("child").restore();
  expect(await contents(late, "child")).toEqual(["one", "two", "three", "own"]);

  await late.close();
  await neighbour.close();
  const last = await open(machine.startProcess());
  expect(await contents(last, "child")).toEqual(["one", "two", "three", "own"]);
  expect(await stubs(machine.startProcess())).toEqual([]);
});

test("a fork whose name was made, though that was said to have failed, is there and whole", async () => {
  const host = withFiles(new SimulatedMachine(1).startProcess(), (files) => ({
    link: async (from, to) => {
      await files.link(from, to);
      if (to.endsWith("/child.jsonl")) throw systemError("EIO", "link", to);
    },
  }));
  const store = await open(host);
  for (const text of ["one", "two", "three"]) await store.session("x").append(user(text));
  await store.session("x").fork("child");
  expect(await contents(store, "child")).toEqual(["one", "two", "three"]);
  expect(await stubs(host)).toEqual([]);
});
