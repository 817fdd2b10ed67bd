/**
 * Forks the sessions `FROM:1`, `FROM:2` … to `TO:1`, `TO:2` …, all at once, and prints what came of each as a list of
 * JSON: "forked", or the code of an error. Another process does the same the other way round.
 */

import { openStore } from "../../dist/index.js";

const [directory, from, to, pairs] = process.argv.slice(2);
const store = await openStore(directory);
const outcomes = await Promise.all(
  Array.from({ length: Number(pairs) }, async (_, index) => {
    try {
      await store.session(`${from}:${index + 1}`).fork(`${to}:${index + 1}`);
      return "forked";
    } catch (error) {
      return error.code ?? String(error);
    }
  }),
);
await store.close();
process.stdout.write(JSON.stringify(outcomes));
