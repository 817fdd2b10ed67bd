/**
 * Opens a store and does as it is told on stdin: `append KEY TEXT`, `read KEY`, `lock KEY`, `seal KEY`, `fork KEY NEW`, `disconnect` (a worker, from its
 * cluster), `close`. Answers each with a
 * line of JSON; the first says whether it could be opened. With "no-landing" every write to a session file fails, so that what
 * is acknowledged is in the journal only. With "impatient" it waits for a session no longer than a moment.
 */

import cluster from "node:cluster";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { jsonlBackend, openStore } from "../../dist/index.js";
import { hostWithoutLanding } from "./no-landing.mjs";

const [directory, mode] = process.argv.slice(2);
const say = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);
const { host, begin } = hostWithoutLanding();

async function attempt(action) {
  try {
    say(await action());
    return true;
  } catch (error) {
    say({ error: error.code, detail: error.detail, message: error.message });
    return false;
  }
}

let store;
const isOpen = await attempt(async () => {
  store = await openStore(
    jsonlBackend(directory, { host, ...(mode === "impatient" ? { lockWait: 500 } : {}) }),
    {
      readOnly: mode === "read-only",
      onError: () => undefined,
    },
  );
  if (mode === "no-landing") begin();
  return { opened: true };
});
if (!isOpen) process.exit(1);

for await (const line of createInterface({ input: process.stdin })) {
  const [command, key, ...words] = line.split(" ");
  await attempt(async () => {
    if (command === "append")
      return await store.session(key).append({ role: "user", content: words.join(" ") });
    if (command === "lock") {
      await store.session(key).lock();
      return { locked: true };
    }
    if (command === "seal") return await store.reclaim({ keys: [key], seal: true });
    if (command === "fork") {
      await store.session(key).fork(words[0]);
      return { forked: true };
    }
    if (command === "disconnect") {
      const disconnected = once(process, "disconnect");
      cluster.worker.disconnect();
      await disconnected;
      return { disconnected: true };
    }
    if (command === "read") return (await store.session(key).messages()).map(({ content }) => content);
    await store.close();
    return { closed: true };
  });
  if (command === "close") break;
}
process.exit(0);
