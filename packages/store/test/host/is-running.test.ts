/** Which process of this machine is which: a start time proves something only where both sides mean the same by it. */

import { describe, expect, test } from "vitest";
import { nodeHost } from "../../src/host/node-host.ts";

const { processes } = nodeHost;
const { self } = processes;
const isLinux = process.platform === "linux";

describe.skipIf(!isLinux)("a process with this pid that started at another time", () => {
  const other = { ...self, startTime: "1" };

  test("is another one", async () => {
    expect(self.startTime).toMatch(/^[0-9]+$/);
    expect(await processes.isRunning(self)).toBe("running");
    expect(await processes.isRunning(other)).toBe("gone");
  });

  test("may be the same one, seen from another time namespace, or by a version that does not say from which", async () => {
    const { timeNamespace } = self;
    for (const from of ["time:[1]", timeNamespace === undefined ? "time:[2]" : undefined])
      expect(await processes.isRunning({ ...other, timeNamespace: from })).toBe("unknown");
  });
});

test("no process with this pid is proof in the same pid namespace only, whatever the time namespace", async () => {
  // More than any system gives.
  const none = { ...self, pid: 2 ** 30, timeNamespace: "time:[1]" };
  expect(await processes.isRunning({ ...none, pidNamespace: "pid:[1]" })).toBe("unknown");
  expect(await processes.isRunning(none)).toBe(self.pidNamespace === undefined ? "unknown" : "gone");
});
