/**
 * A chat with an agent that follows a script, for a real terminal: run by the tests in tmux, over what was built. "slow" is
 * answered in many pieces, "hang" until it is cancelled, anything else at once.
 */

import { setTimeout as pause } from "node:timers/promises";
import { memoryBackend, openStore } from "@longhand/store";
import picocolors from "picocolors";
import { ChatLink } from "../../../build/chat/chat-link.js";
import { processTerminal } from "../../../build/chat/process-terminal.js";
import { runChat } from "../../../build/chat/run-chat.js";

const link = new ChatLink();
const store = await openStore(memoryBackend());
const session = store.session("talk");
const model = { name: "fake" };

async function answer(text, say, signal) {
  if (text === "hang") {
    say("hanging");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return "cancelled";
  }
  if (text === "slow") {
    for (let number = 1; number <= 30 && !signal.aborted; number++) {
      say(`piece ${number} of 30${number % 5 === 0 ? "\n" : ", "}`);
      await pause(60, undefined, { signal }).catch(() => undefined);
    }
    return signal.aborted ? "cancelled" : "answered";
  }
  say(`You said ${JSON.stringify(text)}`);
  return "answered";
}

const conversation = {
  key: "talk",
  session,
  isBusy: false,
  say: async ({ text }, { signal }) => {
    const emit = (event) => link.events({ agent: "helper", key: "talk", turn: "1", ...event });
    const { seq } = await session.append({ role: "user", content: text });
    emit({ type: "turn-start", seq });
    const outcome = await answer(text, (delta) => emit({ type: "text-delta", text: delta }), signal);
    emit({ type: "turn-end", outcome, seq });
    return { turn: "1", outcome, text: "", seq };
  },
  cancel: () => Promise.resolve(false),
  recover: () => Promise.resolve(undefined),
  settled: () => Promise.resolve(),
};

const ending = new AbortController();
process.once("SIGTERM", () => ending.abort());
const code = await runChat({
  agent: {
    ...{ name: "helper", workspace: "/tmp", store, memory: undefined, keptBy: "memory", tools: [], model },
    skills: { found: [], invalid: [], promptSection: () => "", load: () => Promise.resolve(undefined) },
    useModel: () => undefined,
    contextOptions: () => Promise.resolve({ tools: [], model: model.name }),
    conversation: () => conversation,
  },
  key: "talk",
  terminal: processTerminal(picocolors.createColors(true)),
  link,
  historyFile: undefined,
  waitingDirectory: undefined,
  currentDirectory: "/",
  toPaste: (words) => words,
  chooseModel: () => Promise.reject(new Error("there is no other")),
  signal: ending.signal,
});
await store.close();
process.stdout.write(`ended with ${code}\n`);
