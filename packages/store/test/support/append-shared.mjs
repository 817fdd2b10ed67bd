/**
 * One of several processes that append to the same sessions. Each message has an id, so that one whose outcome is
 * unknown can be appended again; its text is the writer, its number and the session. Prints each number when it is
 * acknowledged.
 */

import { writeSync } from "node:fs";
import { openStore } from "../../dist/index.js";

const [directory, writer, first, last, sessions] = process.argv.slice(2);
const store = await openStore(directory);
for (let number = Number(first); number <= Number(last); number++) {
  // The same session for the same number, so that a repeated append goes to where the first one went; some in a row, as
  // the messages of a turn are.
  const key = `shared:${(Math.floor(number / 20) * 7 + Number(writer)) % Number(sessions)}`;
  const message = { role: "user", content: `${writer} ${number} ${key}` };
  await appendPatiently(store.session(key), message, { id: `${writer}/${number}` });
  writeSync(1, `${number}\n`);
}
await store.close();

/** A stopped neighbour may keep everybody waiting for longer than our patience. */
async function appendPatiently(session, message, options) {
  for (;;) {
    try {
      await session.append(message, options);
      return;
    } catch (error) {
      if (error.code !== "SESSION_LOCKED") throw error;
    }
  }
}
