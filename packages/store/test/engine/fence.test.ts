/** The second line of defence: a living instance that somebody holds for dead must not answer for what it writes. */

import { expect, test } from "vitest";
import { jsonlBackend, openStore } from "../../src/index.ts";
import type { Host } from "../../src/host/host.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { withInstance } from "../support/begin-instance.ts";
import { contentsOf, user } from "../support/conversation.ts";

/** Its proofs of death are wrong: nobody seems to listen. */
function mistaken(host: Host): Host {
  const { files, processes } = host;
  return {
    files,
    processes: {
      self: processes.self,
      listen: async (path, onMessage) => await processes.listen(path, onMessage),
      tell: async (path, text) => await processes.tell(path, text),
      find: async (pid) => await processes.find(pid),
      probe: () => Promise.resolve("refused"),
    },
    user: host.user,
    now: () => host.now(),
    randomBytes: (length) => host.randomBytes(length),
    wait: async (milliseconds, background) => await host.wait(milliseconds, background),
  };
}

test("an instance that was taken over while it lives answers nobody, and spoils nothing", async () => {
  const machine = new SimulatedMachine(1);
  const first = machine.startProcess();
  const robbed = await openStore(jsonlBackend("/store", { host: first }), { onError: () => undefined });
  await robbed.session("a").append(user("1"));
  const next = await openStore(jsonlBackend("/store", { host: mistaken(machine.startProcess()) }));
  await next.session("a").append(user("2"));

  const late = robbed.session("a").append(user("late"));
  await expect(late).rejects.toMatchObject({
    code: "STORE_FAILED",
    message: expect.stringContaining("taken over") as string,
  });
  expect(await contentsOf(next.session("a"))).toEqual(["1", "2"]);
  await robbed.close();
  expect(await contentsOf(next.session("a"))).toEqual(["1", "2"]);
  await next.close();
  const again = await openStore(jsonlBackend("/store", { host: machine.startProcess() }));
  expect(await contentsOf(again.session("a"))).toEqual(["1", "2"]);
  await again.close();
});

test("nor does it take a lease, create a session or read what it does not hold", async () => {
  const machine = new SimulatedMachine(1);
  const open = async (host: Host) =>
    await withInstance(await openStore(jsonlBackend("/store", { host }), { onError: () => undefined }));
  const [one, two] = [await open(machine.startProcess()), await open(machine.startProcess())];
  await one.session("a").append(user("1"));
  const next = await open(mistaken(machine.startProcess()));
  const files = machine.startProcess().files;
  const before = await files.readDirectory("/store");
  await expect(one.session("new").append(user("x"))).rejects.toMatchObject({ code: "STORE_FAILED" });
  await expect(two.session("a").messages()).rejects.toMatchObject({ code: "STORE_FAILED" });
  expect(await files.readDirectory("/store")).toEqual(before);
  expect(await contentsOf(next.session("a"))).toEqual(["1"]);
  await next.close();
});
