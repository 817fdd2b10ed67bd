/** A fork shares turns with the session it comes from: each is consolidated once, whoever is asked first. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nodeHost } from "../../src/host/node-host.ts";
import { jsonlBackend, memoryBackend, openStore, type Session, type Store } from "../../src/index.ts";
import { openMemory, type AskModel, type Memory } from "../../src/memory.ts";
import { user } from "../support/conversation.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";
import { refusedWith } from "./support/memory-in.ts";

const ANN = { user: "ann" } as const;

describe.each(["memory", "jsonl"])("over the %s backend", (backend) => {
  let directory: string;
  let store: Store;
  let memory: Memory;
  let session: Session;
  let asked: string[];

  beforeEach(async () => {
    directory = await makeTemporaryDirectory();
    store = await openStore(backend === "memory" ? memoryBackend() : jsonlBackend(`${directory}/sessions`));
    memory = await openMemory({ directory: `${directory}/memory`, sessions: store });
    session = store.session("chat:ann");
    asked = [];
  });
  afterEach(async () => {
    await memory.close();
    await store.close();
    await removeDirectory(directory);
  });

  const model: AskModel = (question) => {
    asked.push(question.user);
    return Promise.resolve(JSON.stringify({ history_entry: `happened ${asked.length}`, facts: [] }));
  };

  /** A fork is known by having been made after the first words. */
  async function forkOf(of: Session, key: string, options?: { at: number }): Promise<Session> {
    await nodeHost.wait(2);
    return await of.fork(key, options);
  }

  async function turns(of: Session, ...numbers: readonly number[]): Promise<void> {
    for (const number of numbers)
      await of.append([user(`question <${number}>`), { role: "assistant", content: `answer <${number}>` }]);
  }

  async function consolidated(of: Session, scope: { user?: string } = ANN): Promise<string[]> {
    asked = [];
    await memory.consolidate(of, { scope, model });
    return asked.flatMap((text) =>
      [...text.matchAll(/question <(\d+)>/gu)].map(([, number]) => number ?? ""),
    );
  }

  test("what its origin had consolidated is not asked about again", async () => {
    await turns(session, 1, 2);
    expect(await consolidated(session)).toEqual(["1", "2"]);
    const fork = await forkOf(session, "chat:retry");
    expect(await consolidated(fork)).toEqual([]);
    await turns(fork, 3);
    expect(await consolidated(fork)).toEqual(["3"]);
    await turns(session, 4);
    expect(await consolidated(session)).toEqual(["4"]);
    expect(await consolidated(fork)).toEqual([]);
  });

  test("whichever of them comes first, and from wherever it was forked", async () => {
    await turns(session, 1, 2, 3);
    const fork = await forkOf(session, "chat:retry", { at: 4 });
    await turns(fork, 4);
    expect(await consolidated(fork)).toEqual(["1", "2", "4"]);
    expect(await consolidated(session)).toEqual(["3"]);
    await turns(session, 5);
    const second = await forkOf(session, "chat:again", { at: 6 });
    await turns(second, 6);
    expect(await consolidated(second)).toEqual(["6"]);
    expect(await consolidated(session)).toEqual(["5"]);
  });

  test("a turn that goes on otherwise in the fork is another turn", async () => {
    await turns(session, 1, 2);
    await consolidated(session);
    const fork = await forkOf(session, "chat:retry", { at: 3 });
    expect(await consolidated(fork)).toEqual([]);
    await fork.append({ role: "assistant", content: "something else" });
    expect(await consolidated(fork)).toEqual(["2"]);
    expect(asked[0]).toContain("something else");
    expect(asked[0]).not.toContain("answer <2>");
  });

  test("a fork of a fork; and what its origin had not consolidated yet is for whoever is asked first", async () => {
    await turns(session, 1);
    await consolidated(session);
    await turns(session, 2);
    const fork = await forkOf(session, "chat:fork");
    const second = await forkOf(fork, "chat:fork:fork");
    expect(await consolidated(second)).toEqual(["2"]);
    expect(await consolidated(fork)).toEqual([]);
    expect(await consolidated(session)).toEqual([]);
  });

  test("and this would be noticed: other sessions and other scopes are read whole", async () => {
    await turns(session, 1);
    await turns(store.session("chat:other"), 1);
    expect(await consolidated(session)).toEqual(["1"]);
    expect(await consolidated(store.session("chat:other"))).toEqual(["1"]);
    const fork = await forkOf(session, "chat:retry");
    expect(await consolidated(fork, { user: "bob" })).toEqual(["1"]);
  });

  test("what is no session is OPTION_INVALID", async () => {
    for (const wrong of [undefined, null, "chat:ann", {}, store, { state: 1, records: 2 }])
      await refusedWith(memory.consolidate(wrong as never, { scope: ANN, model }), "OPTION_INVALID");
  });
});
