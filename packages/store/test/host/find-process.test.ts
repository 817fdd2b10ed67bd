/** What the real host finds out about the process with a pid. What it proves is tested in lease/liveness-rule.test.ts. */

import { expect, test } from "vitest";
import { nodeHost } from "../../src/host/node-host.ts";

const { processes } = nodeHost;
const { self } = processes;

test("a process that is there, with its start time where the system shows one", async () => {
  if (process.platform === "linux") expect(self.startTime).toMatch(/^[0-9]+$/);
  expect(await processes.find(self.pid)).toEqual({ startTime: self.startTime });
  expect(await processes.find(process.ppid)).not.toBe("none");
});

test("no process", async () => {
  // More than any system gives.
  expect(await processes.find(2 ** 30)).toBe("none");
});
