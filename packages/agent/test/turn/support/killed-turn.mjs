/**
 * Runs the scenario and kills itself: `killed-turn.mjs DIRECTORY event|before|after NUMBER`, after that event, or before or after
 * that write. Prints each event, and each write that has resolved. NUMBER 0: it lives.
 */

import { appendFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openStore } from "@longhand/store";
import { AgentError } from "../../../build/errors.js";
import { Mailbox } from "../../../build/kernel/mailbox.js";
import { runTurn } from "../../../build/turn/run-turn.js";
import { EARLIER, KEY, SAID, scenario, watchWrites } from "./kill-scenario.mjs";

const [directory, mode, text] = process.argv.slice(2);
const fatal = Number(text);
// Synchronously: what is printed has left this process.
const print = (value) => writeSync(1, `${JSON.stringify(value)}\n`);
const die = () => process.kill(process.pid, "SIGKILL");

const store = await openStore(join(directory, "sessions"));
const session = store.session(KEY);
await session.append(EARLIER);
const watched = watchWrites(session, {
  before: (number) => {
    if (mode === "before" && number === fatal) die();
  },
  after: (number) => {
    print({ write: number });
    if (mode === "after" && number === fatal) die();
  },
});
let events = 0;
const steering = new Mailbox(10);
const settings = scenario({
  effect: () => appendFileSync(join(directory, "effects"), "x"),
  wait,
  overflow: () => new AgentError("MODEL_OVERFLOW", "the request is too long"),
  steering,
  settings: {
    events: (event) => {
      print({ event });
      events += 1;
      if (mode === "event" && events === fatal) die();
    },
  },
});
const running = { id: "turn-1", signal: new AbortController().signal, steering };
print({ result: await runTurn(watched, SAID, running, settings) });
await store.close();
