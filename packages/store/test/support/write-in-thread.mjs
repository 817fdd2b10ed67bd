/**
 * Runs in a worker thread: opens the store, appends `count` messages to the key one after the other, and says which seqs
 * they got. With "hold" it then keeps the store open until the thread is ended from outside.
 */

import { parentPort, workerData } from "node:worker_threads";
import { openStore } from "../../dist/index.js";

const { directory, key, name, count, mode } = workerData;
const store = await openStore(directory);
const seqs = [];
for (let number = 0; number < count; number++) {
  const { seq } = await store.session(key).append({ role: "user", content: `${name} ${number}` });
  seqs.push(seq);
}
if (mode !== "hold") await store.close();
parentPort.postMessage(seqs);
if (mode === "hold") setInterval(() => undefined, 1000);
