/** Listing while sessions are moved: each is there once. */

import { expect, test } from "vitest";
import { jsonlBackend, openStore } from "../../src/index.ts";
import { SimulatedMachine } from "../../src/testing/index.ts";
import { user } from "../support/conversation.ts";
import { DIRECTORY } from "../support/simulated-store.ts";

const OPTIONS = {
  durability: "sync",
  readOnly: false,
  onDamage: () => undefined,
  onError: () => undefined,
} as const;

test("a session that is archived while it is listed is listed once", async () => {
  const host = new SimulatedMachine(3).startProcess();
  const store = await openStore(jsonlBackend(DIRECTORY, { host }));
  for (const key of ["b", "c"]) await store.session(key).append(user(key));
  await store.close();
  const backend = await jsonlBackend(DIRECTORY, { host }).open(OPTIONS);
  await backend.write("a", {
    reads: false,
    decide: () => ({ add: [{ op: "meta", title: "a" }], id: undefined }),
  });
  const listed: string[] = [];
  for await (const { info } of backend.snapshots()) {
    listed.push(info.key);
    if (info.key === "a" && listed.length === 1) await backend.putAway?.archive("a");
  }
  expect(listed.sort()).toEqual(["a", "b", "c"]);
  await backend.close();
});
