/** A whole chat in this process: a terminal in memory, an agent with a script, and waiting for what is to be seen. */

import { setTimeout as pause } from "node:timers/promises";
import type { AgentInstance, Tool } from "@longhand/agent";
import { ChatLink } from "../../../src/chat/chat-link.ts";
import { runChat, type ChatOptions } from "../../../src/chat/run-chat.ts";
import { fakeAgent, fakeModel, type Script } from "./fake-agent.ts";
import { VirtualTerminal } from "./virtual-terminal.ts";

export interface ChatInMemory {
  readonly terminal: VirtualTerminal;
  readonly agent: AgentInstance;
  readonly link: ChatLink;
  /** The exit code, when it has ended. */
  readonly ended: Promise<number>;
  /** Waits until the whole of what was printed and is drawn says so. */
  readonly sees: (...wanted: readonly (string | RegExp)[]) => Promise<void>;
  /** Types a line and Enter. */
  readonly enters: (line: string) => void;
}

export interface InMemoryOptions extends Partial<
  Pick<ChatOptions, "historyFile" | "waitingDirectory" | "signal" | "currentDirectory" | "key">
> {
  readonly width?: number;
  readonly height?: number;
  readonly tools?: readonly Tool[];
  /** What the agent says about its store; it is always in memory. @default "memory" */
  readonly keptBy?: AgentInstance["keptBy"];
}

/** Leaves the chat when `use` is done. */
export async function withChat(
  script: Script,
  use: (chat: ChatInMemory) => Promise<void>,
  options: InMemoryOptions = {},
): Promise<void> {
  const { width, height, tools, historyFile, key = "talk", currentDirectory = "/", signal } = options;
  const terminal = new VirtualTerminal(width, height);
  const link = new ChatLink();
  const { agent, store } = await fakeAgent(link, script, tools, options.keptBy);
  const ended = runChat({
    agent,
    key,
    terminal,
    link,
    historyFile,
    waitingDirectory: options.waitingDirectory,
    currentDirectory,
    toPaste: (words, pasted) => `longhand ${words}${pasted === undefined ? "" : ` ${pasted}`}`,
    chooseModel: (wanted) =>
      wanted.startsWith("fake:")
        ? Promise.resolve(fakeModel(wanted))
        : Promise.reject(new Error(`no model ${wanted}`)),
    ...(signal === undefined ? {} : { signal }),
  });
  const sees = async (...wanted: readonly (string | RegExp)[]): Promise<void> => {
    for (let tries = 0; ; tries++) {
      const missing = wanted.filter((each) =>
        typeof each === "string" ? !terminal.text.includes(each) : !each.test(terminal.text),
      );
      if (missing.length === 0) return;
      if (tries === 6000) throw new Error(`not seen: ${missing.join(", ")}\n${terminal.text}`);
      await pause(10);
    }
  };
  try {
    await sees("/help lists the commands", "❯");
    await use({ terminal, agent, link, ended, sees, enters: (line) => terminal.type(`${line}\r`) });
  } finally {
    terminal.hangUp();
    // A turn that does not end when it is cancelled is not waited for by who is in a hurry.
    for (let tries = 0; terminal.isOpen && tries < 6000; tries++) {
      await pause(10);
      if (tries > 10) terminal.type("\u0003");
    }
    await ended;
    await store.close();
  }
}

/** Resolves when the turn is cancelled. */
export async function untilCancelled(signal: AbortSignal): Promise<"cancelled"> {
  if (signal.aborted) return "cancelled";
  return await new Promise((resolve) => signal.addEventListener("abort", () => resolve("cancelled")));
}

/** A promise that the test decides on. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
