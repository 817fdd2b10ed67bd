/** A read that fails leaves no file open. */

import { expect, test } from "vitest";
import { jsonlBackend, openStore } from "../../src/index.ts";
import { failingHost } from "../../src/testing/index.ts";
import { user } from "../support/conversation.ts";
import { observedHost } from "../support/observed-host.ts";
import { closedStore, DIRECTORY } from "../support/simulated-store.ts";

test.each([false, true])("whatever call fails, readOnly: %s", async (readOnly) => {
  const capture = await closedStore(async (store) => {
    for (const content of ["one", "two"]) await store.session("a").append(user(content));
  });
  let faults = 0;
  for (let number = 1; ; number++) {
    const open = new Map<string, number>();
    const host = observedHost(capture.afterKill().startProcess(), ({ operation, path }) => {
      const change = operation === "open" || operation === "create" ? 1 : operation === "close" ? -1 : 0;
      open.set(path, (open.get(path) ?? 0) + change);
    });
    let isReading = false;
    let calls = 0;
    const failing = failingHost(host, ({ operation, path }) => {
      if (!isReading || !path.endsWith("a.jsonl") || (operation !== "stat" && operation !== "read"))
        return undefined;
      return ++calls === number ? { kind: "error", code: "EIO" } : undefined;
    });
    const store = await openStore(jsonlBackend(DIRECTORY, { host: failing }), { readOnly });
    isReading = true;
    await store
      .session("a")
      .messages()
      .catch(() => undefined);
    isReading = false;
    await store.close();
    const left = [...open].filter(([, count]) => count !== 0).map(([path]) => path);
    expect(left, `call ${number}`).toEqual([]);
    if (failing.faults === 0) break;
    faults += 1;
  }
  expect(faults).toBeGreaterThan(5);
});
