/**
 * Writes to so many sessions, one after another, and prints how many descriptors were open at most and how far the
 * memory grew. Without syncs, which are slow and hold neither. Each session's state has some weight: kept for all of
 * them, it would show.
 */

import { readdirSync } from "node:fs";
import { jsonlBackend, openStore } from "../../dist/index.js";
import { nodeHost } from "../../dist/testing.js";

const [directory, sessions] = process.argv.slice(2);
/** Code is compiled and caches are filled before memory is measured. */
const WARM_UP = 500;
const SUMMARY_BYTES = 10_000;

const files = {
  ...nodeHost.files,
  syncDirectory: async () => undefined,
  async open(path, mode) {
    const file = await nodeHost.files.open(path, mode);
    file.sync = async () => undefined;
    return file;
  },
};
const countDescriptors = () => readdirSync("/proc/self/fd").length;

const baseline = countDescriptors();
const store = await openStore(jsonlBackend(directory, { host: { ...nodeHost, files } }));
let descriptors = 0;
let memoryBefore = 0;
let memory = 0;
for (let number = 1; number <= Number(sessions); number++) {
  await store.session(`channel:${number}`).setSummary(`${number} `.padEnd(SUMMARY_BYTES, "long ago "));
  if (number === WARM_UP) memoryBefore = process.memoryUsage.rss();
  if (number % 50 === 0) {
    descriptors = Math.max(descriptors, countDescriptors());
    if (number > WARM_UP) memory = Math.max(memory, process.memoryUsage.rss());
  }
}
await store.close();
const after = countDescriptors();
console.log(JSON.stringify({ baseline, descriptors, after, grownBy: memory - memoryBefore }));
