/** Opens a store, reads a session, appends to it where it may, and prints what came of it and the memory it took. */

import { openStore } from "../../dist/index.js";

const [directory, key, mode] = process.argv.slice(2);
const damage = [];
const readOnly = mode === "read-only";
const answer = { contents: undefined, seq: undefined, error: undefined };
const store = await openStore(directory, { readOnly, onDamage: (found) => damage.push(found) });
try {
  answer.contents = (await store.session(key).messages()).map(({ content }) => content);
  if (!readOnly) answer.seq = (await store.session(key).append({ role: "user", content: "more" })).seq;
} catch (error) {
  answer.error = error.code;
}
await store.close();
const peakMegabytes = process.resourceUsage().maxRSS / 1024;
process.stdout.write(JSON.stringify({ ...answer, damage, peakMegabytes }));
