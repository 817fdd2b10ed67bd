/** More sessions at once than the store keeps open: each is created once, and none is closed under its writer. */

import { expect, test } from "vitest";
import { openStore } from "../../src/index.ts";
import { jsonlBackend } from "../../src/backends/jsonl/jsonl-backend.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";

const MAX_OPEN_SESSIONS = 128;

test("sessions beyond the limit are created once and keep everything", async () => {
  const machine = new SimulatedMachine(1);
  const created: string[] = [];
  machine.onOperation(({ operation, to }) => {
    if (operation === "link" && to?.endsWith(".jsonl") === true) created.push(to);
  });
  const store = await openStore(
    jsonlBackend("/store", {
      host: machine.startProcess(),
      journalBytes: 20_000,
      maxOpenSessions: MAX_OPEN_SESSIONS,
    }),
  );
  const keys = Array.from({ length: MAX_OPEN_SESSIONS * 2 + 10 }, (_, index) => `session-${index}`);
  await Promise.all(
    keys.flatMap((key) =>
      ["one", "two", "three"].map((content) => store.session(key).append({ role: "user", content })),
    ),
  );
  for (const key of keys) await store.session(key).append({ role: "user", content: "four" });

  expect(created.length).toBe(keys.length);
  expect(new Set(created).size).toBe(keys.length);
  for (const key of keys) {
    const messages = await store.session(key).messages();
    expect(messages.map(({ content }) => content)).toEqual(["one", "two", "three", "four"]);
  }
  await store.close();
});
