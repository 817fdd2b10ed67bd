/** `longhand context`: what a model would be shown of a conversation now, and how full its window is. */

import { usualAnswerTokens } from "@longhand/agent/settings";
import type { SessionInfo, Store } from "@longhand/store";
import type { Context, ContextOptions, ContextUsage, Shortened } from "@longhand/store/context";
import { chooseSession, READABLE } from "../sessions/choose-session.ts";
import { compactionThatCuts } from "../sessions/compaction-that-cuts.ts";
import { readSession } from "../sessions/read-session.ts";
import { warner } from "../sessions/with-store.ts";
import { contextParts } from "../terminal/context-parts.ts";
import { escapeControls, escapeKey, escapeLine } from "../terminal/escape-controls.ts";
import { countOf, formatBytes } from "../terminal/format-count.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { readableWidth } from "../terminal/output.ts";
import type { Marked } from "../terminal/pair-tool-results.ts";
import { renderTranscript } from "../terminal/transcript.ts";
import { usageBar } from "../terminal/usage-bar.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import { addExamples } from "./add-examples.ts";
import { KEY_HELP } from "./key-help.ts";
import { parseNotEmpty } from "./parse-not-empty.ts";
import { parseCount, parseWholeNumber } from "./parse-whole-number.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";

export interface ContextCommandOptions extends JsonOption {
  readonly maxTokens?: number;
  readonly maxBytes?: number;
  readonly reserve?: number;
  readonly model?: string;
  readonly full?: boolean;
}

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand context last", "how full the window is, and what is in it"],
    ["longhand context my-notes --max-tokens 8000", "for a model with a smaller window"],
    ["longhand context last --json | jq .usage", "for a program"],
  ]);
  command
    .argument("<key>", KEY_HELP)
    .option("--max-tokens <n>", "the window, with the answer in it (default: as configured)", parseCount)
    .option("--max-bytes <n>", "of the request as JSON (default: no limit)", parseCount)
    .option("--reserve <n>", "tokens kept free for the answer (default: as configured)", parseWholeNumber)
    .option(
      "--model <name>",
      "whose reported usage corrects the estimate of tokens; its window is --max-tokens",
      parseNotEmpty,
    )
    .option("--full", "tool calls, results and reasoning whole instead of folded to a line")
    .option(
      "--json",
      "one JSON document: usage, tools, messages with their seqs, what was left out and changed",
    )
    .addHelpText(
      "after",
      "\nTokens are estimated. System prompt, tools and limits are those of the configuration: it is what the chat would send.",
    )
    .action(async (key: string, options: ContextCommandOptions) => {
      const surroundings = begin(options);
      await readSession(
        surroundings,
        key,
        async (store, info) => context(store, info.key, options, surroundings),
        { onFlawed: () => surroundings.markFailed() },
      );
    });
};

export async function context(
  store: Store,
  wanted: string,
  { maxTokens, maxBytes, reserve, model, full = false }: ContextCommandOptions,
  surroundings: Surroundings,
): Promise<void> {
  const { buildContext } = await import("@longhand/store/context");
  const info = await chooseSession(store, wanted, { ...surroundings, among: READABLE });
  const session = store.session(info.key);
  const { previewChatRequest } = await import("../assembly/preview-request.ts");
  const { places, environment } = surroundings;
  const request = await previewChatRequest({ places, environment, store, session, model });
  const options: ContextOptions = {
    ...request,
    ...(maxTokens === undefined || reserve !== undefined ? {} : { reserve: usualAnswerTokens(maxTokens) }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
    ...(reserve === undefined ? {} : { reserve }),
  };
  const built = await buildContext(session, options).catch(async (error: unknown) => {
    const { contextWithoutRoom } = await import("./context-without-room.ts");
    throw await contextWithoutRoom(error, session, options);
  });
  if (model !== undefined && maxTokens === undefined) warnOfWindow(model, built.usage, surroundings);
  const { output } = surroundings;
  if (surroundings.json) {
    const { usage, firstSeq, omitted, messagesNotShown, repairs, shortened, messages, seqs } = built;
    const { model: name, tools } = request;
    const shown = messages.map((message, index) => ({ seq: seqs[index], message }));
    output.write(
      jsonLine({
        ...{
          key: info.key,
          model: name,
          usage,
          firstSeq,
          omitted,
          messagesNotShown,
          repairs,
          shortened,
          tools,
        },
        messages: shown,
      }),
    );
    return;
  }
  const write = (lines: readonly string[]): void => output.write(lines.map((line) => `${line}\n`).join(""));
  write(headingLines(info, built.usage, surroundings));
  write(systemLines(built, surroundings));
  const style = { width: readableWidth(output), colors: output.colors, times: UNTOLD, all: false, full };
  for await (const line of renderTranscript(turnRecords(built), style)) {
    if (output.isClosed()) return;
    output.write(`${line}\n`);
  }
  // An archived session is not compacted.
  const canCompact = built.messagesNotShown > 0 && info.status === "active";
  const advice = canCompact ? await compactionThatCuts(session) : undefined;
  write(differenceLines(info, built, advice, surroundings));
}

/** How long the window of a model is stands in no session, and its name alone does not tell. */
function warnOfWindow(model: string, { maxTokens }: ContextUsage, surroundings: Surroundings): void {
  const message = `context length of ${model} unknown; assuming ${maxTokens} (--max-tokens N sets it)`;
  warner(surroundings)("WINDOW_ASSUMED", message, { model, maxTokens });
}

/** The model is not told the times either. */
const UNTOLD = { moment: (): string => "", day: (): string => "", clock: (): string => "" };

function headingLines({ key }: SessionInfo, usage: ContextUsage, { output }: Surroundings): string[] {
  const { bold, dim } = output.colors;
  return [
    bold(escapeKey(key)),
    dim(`a window of ${usage.maxTokens} tokens, estimated; ${formatBytes(usage.bytes)} as JSON`),
    ...usageBar(contextParts(usage, output.colors), output),
    "",
  ];
}

/** The one message that stands nowhere in the log as it is: what is in it says itself where it is from. */
function systemLines({ messages, seqs }: Context, { output }: Surroundings): string[] {
  const [first] = messages;
  if (first === undefined || seqs[0] !== 0) return [];
  const { bold, yellow, dim } = output.colors;
  const text =
    typeof first.content === "string"
      ? first.content
      : first.content
          .map((part) => ("text" in part && typeof part.text === "string" ? part.text : `[${part.type}]`))
          .join("\n");
  const width = readableWidth(output);
  const lines = wrapText(escapeControls(text), width === undefined ? undefined : width - 2);
  return [
    `${bold(yellow("system"))}  ${dim("put together for the model")}`,
    ...lines.map((line) => `  ${line}`.trimEnd()),
    "",
  ];
}

async function* turnRecords({ messages, seqs }: Context): AsyncIterable<Marked> {
  for (const [index, message] of messages.entries()) {
    const seq = seqs[index] ?? 0;
    if (seq > 0) yield await Promise.resolve({ record: { seq, at: "", message }, isLive: true });
  }
}

/** In what the model sees something else than the conversation as it was. `advice`: a compaction that finds something. */
function differenceLines(
  { key }: SessionInfo,
  { messages, messagesNotShown, repairs, shortened }: Context,
  advice: string | undefined,
  { output, toPaste }: Surroundings,
): string[] {
  const { dim } = output.colors;
  const lines: string[] = [];
  if (messages.length === 0 && messagesNotShown === 0) lines.push("The model would see nothing.");
  if (messagesNotShown > 0) {
    const which = countOf(messagesNotShown, "message of the view is", "messages of the view are");
    lines.push(`Left out, since there is no room: ${which} not in it.`);
    lines.push(dim(`  To read all: ${toPaste("show", key)}`));
    if (advice !== undefined)
      lines.push(dim(`  To try a summary in place of the oldest: ${toPaste(advice, key)}`));
  }
  if (shortened.length > 0) {
    lines.push("Shortened to make it fit:", ...shortened.map((each) => `  ${describeShortened(each)}`));
  }
  if (repairs.length > 0) {
    lines.push("Repaired for the model, since a strict provider would refuse it; the log is as it was:");
    lines.push(...repairs.map(({ seq, kind, detail }) => `  #${seq} ${kind}: ${escapeLine(detail)}`));
  }
  return lines;
}

function describeShortened({ seq, what, before, after }: Shortened): string {
  const unit = what === "steps" ? "messages" : "characters";
  const where = what === "summary" ? "the summary" : `#${seq} ${what}`;
  return after === 0 ? `${where}: left out (${before} ${unit})` : `${where}: ${before} → ${after} ${unit}`;
}
