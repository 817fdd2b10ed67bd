/**
 * Appends to two sessions without end, at once, every third time a batch of three, and prints each seq when it is
 * acknowledged. The text of a message is its key, its seq and its place in the batch. It is there to be killed.
 *
 * With "no-landing" everything it acknowledges is in the journal only. "ack-first" is the control: after some honest
 * appends it prints a seq before the append has resolved, and kills itself at that moment.
 */

import { writeSync } from "node:fs";
import { jsonlBackend, openStore } from "../../dist/index.js";
import { hostWithoutLanding } from "./no-landing.mjs";

const [directory, mode] = process.argv.slice(2);
const KEYS = ["a:1", "b"];
const HONEST_APPENDS = 5;
const { host, begin } = hostWithoutLanding();
const store = await openStore(jsonlBackend(directory, { host }), { onError: () => undefined });
if (mode === "no-landing") begin();

// Synchronously: what is printed has left this process.
const print = (key, seq) => writeSync(1, `${key} ${seq}\n`);

const begun = new Set();

async function appendForEver(key) {
  const session = store.session(key);
  let seq = (await session.state())?.seq ?? 0;
  for (let round = 1; ; round++) {
    const size = round % 3 === 0 ? 3 : 1;
    const batch = Array.from({ length: size }, (_, index) => ({
      role: "user",
      content: `${key} ${seq + 1 + index} ${index + 1}/${size}`,
    }));
    const appending = session.append(batch, { expectedSeq: seq });
    if (mode === "ack-first" && round > HONEST_APPENDS && begun.size === KEYS.length) {
      print(key, seq + size);
      process.kill(process.pid, "SIGKILL");
    }
    ({ seq } = await appending);
    print(key, seq);
    begun.add(key);
  }
}

await Promise.all(KEYS.map(appendForEver));
