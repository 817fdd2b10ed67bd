/**
 * One call of a tool: checked, approved, run within its time, and its result durable before anybody is told. Whatever goes
 * wrong becomes a result that the model can read; only a store that cannot write is thrown on.
 */

import { AgentError } from "../errors.ts";
import { untilAborted } from "../kernel/until-aborted.ts";
import { withDeadline } from "../kernel/with-deadline.ts";
import { tryParseJson } from "../parse-json.ts";
import { capResult } from "../tools/cap-result.ts";
import type { Tool, ToolContext, ToolOutput } from "../tools/tool.ts";
import { DEEPEST_ARGUMENTS } from "./parse-arguments.ts";
import { saysSomething } from "./says-something.ts";
import type { StepCall } from "./step-call.ts";
import type { TurnInHand } from "./turn-in-hand.ts";
import { CALLS_NOTE } from "./turn-log.ts";

/** `tool` with what it takes, or why there is nothing to run. */
export type CheckedCall =
  | { readonly call: StepCall; readonly tool: Tool; readonly input: unknown }
  | { readonly call: StepCall; readonly tool: undefined; readonly problem: string };

export function checkCall(tools: readonly Tool[], call: StepCall): CheckedCall {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) {
    const names = tools.map(({ name }) => name).join(", ");
    const problem = `there is no tool ${JSON.stringify(call.name)}; there are: ${names === "" ? "none" : names}`;
    return { call, tool: undefined, problem };
  }
  if (call.refusal !== undefined) return { call, tool: undefined, problem: call.refusal };
  if (call.input === undefined)
    return { call, tool: undefined, problem: `the arguments ${whatIsWrong(call)}; write them again` };
  try {
    const parsed = tool.parse(call.input);
    if ("input" in parsed) return { call, tool, input: parsed.input };
    return { call, tool: undefined, problem: `invalid arguments: ${parsed.problem}` };
  } catch (error) {
    return { call, tool: undefined, problem: `the arguments could not be checked: ${wordsOf(error)}` };
  }
}

function whatIsWrong({ text }: StepCall): string {
  if (tryParseJson(text) === undefined) return "are no valid JSON";
  return `have a number that is too large, or more than ${DEEPEST_ARGUMENTS} levels`;
}

export async function runCall(turn: TurnInHand, checked: CheckedCall): Promise<void> {
  tellCall(turn, checked.call);
  await answerCall(turn, checked.call, await outputOf(turn, checked));
}

/** Answers a call without running it. */
export async function refuseCall(turn: TurnInHand, call: StepCall, why: string): Promise<void> {
  tellCall(turn, call);
  await answerCall(turn, call, failed(why));
}

function tellCall(turn: TurnInHand, { id, givenId, name, input, text }: StepCall): void {
  const renamed = id === givenId || !saysSomething(givenId) ? {} : { givenId };
  turn.emit({ type: "tool-call", id, name, arguments: input === undefined ? text : input, ...renamed });
}

/** Appends the result, and tells of it. */
async function answerCall(turn: TurnInHand, { id, name }: StepCall, output: ToolOutput): Promise<void> {
  const { redact, maxToolResultBytes } = turn.settings;
  // In this order: half a secret is not recognised.
  const content = capResult(redact(output.content), maxToolResultBytes);
  const isError = output.isError === true;
  await turn.append({
    role: "tool",
    toolCallId: id,
    ...(name === "" ? {} : { name }),
    content,
    ...(isError ? { isError } : {}),
  });
  turn.openCalls.delete(id);
  turn.emit({ type: "tool-result", id, name, content, isError });
}

async function outputOf(turn: TurnInHand, checked: CheckedCall): Promise<ToolOutput> {
  const { signal, settings, session } = turn;
  if (checked.tool === undefined) return failed(checked.problem);
  if (signal.aborted) return failed("[cancelled before it ran]");
  const { tool, input, call } = checked;
  const context = { agent: settings.agent, key: session.key, callId: call.id, signal };
  const refusal = await refusalOf(turn, tool, input, context);
  if (refusal !== undefined) return failed(refusal);
  if (!tool.isReadOnly) await turn.note(CALLS_NOTE, { turn: turn.running.id, begun: [call.id] });
  return await run(turn, tool, input, context);
}

/** Why it may not run. Nobody there to ask: it may not. */
async function refusalOf(
  turn: TurnInHand,
  tool: Tool,
  input: unknown,
  context: ToolContext,
): Promise<string | undefined> {
  const { settings, signal, session } = turn;
  try {
    const reason = await untilAborted(Promise.resolve(tool.needsApproval?.(input, context)), signal);
    if (reason === undefined) return undefined;
    const question = { agent: settings.agent, key: session.key, tool: tool.name, input, reason };
    const isApproved = await untilAborted(
      settings.approve?.(question, signal) ?? Promise.resolve(false),
      signal,
    );
    return isApproved ? undefined : `refused, and not run: ${reason}`;
  } catch (error) {
    if (signal.aborted) return "[cancelled before it ran]";
    return `not run, since nobody could be asked: ${wordsOf(error)}`;
  }
}

async function run(
  { signal, settings }: TurnInHand,
  tool: Tool,
  input: unknown,
  context: ToolContext,
): Promise<ToolOutput> {
  const { toolLimit } = settings;
  const timedOut = (): Error =>
    new AgentError("TOOL_FAILED", `${tool.name} took longer than ${toolLimit} ms and was stopped`);
  try {
    const output = await withDeadline(
      toolLimit,
      async (own) => await tool.run(input, { ...context, signal: own }),
      { signal, timedOut },
    );
    if (typeof output === "string") return { content: output };
    // A tool in plain JavaScript may answer anything.
    if (typeof (output as Partial<ToolOutput> | undefined)?.content === "string") return output;
    return failed(`${tool.name} answered no text`);
  } catch (error) {
    if (signal.aborted) return failed("[cancelled while it ran; what it had done by then stays done]");
    return failed(wordsOf(error));
  }
}

function failed(content: string): ToolOutput {
  return { content, isError: true };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
