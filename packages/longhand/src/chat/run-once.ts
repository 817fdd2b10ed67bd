/** One message and its answer: `longhand chat -m "…"`. The message is said as it is; it is never a command. */

import type { AgentInstance, ApprovalQuestion } from "@longhand/agent";
import { EXIT } from "../terminal/exit-codes.ts";
import type { Input, Output } from "../terminal/output.ts";
import type { ChatLink } from "./chat-link.ts";
import { PlainView } from "./plain-view.ts";
import { problemLine } from "./problem-line.ts";
import { questionLines } from "./question-lines.ts";
import { yesOrNo } from "./questions.ts";
import { untilAborted } from "./until-aborted.ts";

/** For a compaction: a model that hangs there is asked again after the next message. What is to be remembered is not waited for. */
const LONGEST_WAIT = 15_000;

export interface OnceOptions {
  readonly agent: AgentInstance;
  readonly key: string;
  readonly text: string;
  /** Each event is a line of JSON. */
  readonly json: boolean;
  readonly output: Output;
  readonly input: Input;
  readonly link: ChatLink;
  /** Ctrl-C, SIGTERM: cancels the turn. */
  readonly signal?: AbortSignal;
}

/** Resolves with the exit code: ok only where there is an answer. Rejects if the words could not be kept. */
export async function runOnce(options: OnceOptions): Promise<number> {
  const { agent, key, text, json, output, input, link, signal } = options;
  const view = new PlainView(output, { json, hasCommands: false });
  const canAsk = !json && input.isTerminal && output.errorWidth !== undefined;
  const unlink = link.join({
    event: (event) => {
      if (event.agent === agent.name && event.key === key) view.take(event);
    },
    problem: (problem) => output.writeError(problemLine(problem, json, output.errorWidth)),
    approve: canAsk ? async (question) => await ask(question, output, input) : undefined,
  });
  try {
    const conversation = agent.conversation(key);
    const { outcome } = await conversation.say({ text }, signal === undefined ? {} : { signal });
    // Otherwise a conversation of single messages would never be compacted.
    await untilAborted(conversation.settled(), atMost(LONGEST_WAIT, signal));
    return outcome === "answered" ? EXIT.ok : EXIT.failed;
  } finally {
    unlink();
  }
}

function atMost(milliseconds: number, signal: AbortSignal | undefined): AbortSignal {
  const limit = AbortSignal.timeout(milliseconds);
  return signal === undefined ? limit : AbortSignal.any([limit, signal]);
}

async function ask(question: ApprovalQuestion, output: Output, input: Input): Promise<boolean> {
  const lines = questionLines(question, { colors: output.colors, width: () => output.errorWidth });
  output.writeError(`${lines.join("\n")}\nyes or no? [y/N] `);
  return yesOrNo((await input.readLine()) ?? "no") === true;
}
