/**
 * Owns what a session has learned about its models' tokenizers: a factor for each model, from what providers report after a
 * call. Kept as a note in the session, so that a restart does not forget it.
 */

import { LonghandError } from "../../errors.ts";
import { isJsonObject } from "../../format/json.ts";
import type { Message, Usage } from "../../format/message.ts";
import type { SessionInfo } from "../../format/session-record.ts";
import type { Session } from "../../contract/types.ts";

export const TOKEN_CORRECTION_NOTE = "longhand/token-correction";

const MAX_MODELS = 16;
const MAX_NAME_LENGTH = 200;
const LEAST = 0.5;
const MOST = 3;
/** Of what is new in a report. */
const WEIGHT = 0.3;
/** What changes by less is not worth a record. */
const SMALLEST_CHANGE = 0.01;
/** In shorter requests a provider's own additions count for more than the text. */
const FEWEST_ESTIMATED = 50;
/** Above it a report is about something else than this request. */
const IMPLAUSIBLE = 10;

export interface UsageReport {
  readonly model: string;
  /** Of the whole request, tools included, as the estimator says: before any correction. */
  readonly estimated: number;
  /**
   * `inputTokens` is everything the model has read, from a cache or not; `cachedTokens` are those of them that came from a
   * cache. Where a provider reports them apart (Anthropic does), they must be added up first.
   */
  readonly usage: Usage | undefined;
}

interface Correction {
  readonly model: string;
  readonly factor: number;
}

/**
 * After a call of the model. Resolves with the factor that counts from now on. Reports that cannot be right are passed
 * over: none or zero, more cached than read, less than half of the estimate (a server that cuts in silence), ten times it.
 *
 * Where two processes report at the same moment the later note stands; the other one's lesson comes again with its next
 * report. Nothing is written to a session that does not exist.
 */
export async function reportUsage<M extends Message>(
  session: Session<M>,
  report: UsageReport,
): Promise<number> {
  checkModel(report.model);
  const known = await corrections(session);
  const before = factorOf(known, report.model);
  const ratio = ratioOf(report);
  if (ratio === undefined) return before ?? 1;
  const factor = before === undefined ? ratio : before + WEIGHT * (ratio - before);
  if (Math.abs(factor / (before ?? 1) - 1) <= SMALLEST_CHANGE) return before ?? 1;
  if ((await session.state()) === undefined) return before ?? 1;
  const rounded = Math.round(factor * 10_000) / 10_000;
  const others = known.filter(({ model }) => model !== report.model);
  const models = [...others, { model: report.model, factor: rounded }].slice(-MAX_MODELS);
  await session.note(TOKEN_CORRECTION_NOTE, { models });
  return rounded;
}

/** What an estimate for this model is to be multiplied by: from 0.5 to 3, and 1 for a model that nothing is known of. */
export async function correctionOf<M extends Message>(session: Session<M>, model: string): Promise<number> {
  checkModel(model);
  return factorOf(await corrections(session), model) ?? 1;
}

function ratioOf({ estimated, usage }: UsageReport): number | undefined {
  if (usage === undefined || !(estimated >= FEWEST_ESTIMATED) || !(usage.inputTokens > 0)) return undefined;
  if ((usage.cachedTokens ?? 0) > usage.inputTokens) return undefined;
  const ratio = usage.inputTokens / estimated;
  return ratio < LEAST || ratio > IMPLAUSIBLE ? undefined : Math.min(ratio, MOST);
}

interface Learned {
  /** The newest record when it was read. */
  readonly at: Pick<SessionInfo, "id" | "seq" | "updated"> | undefined;
  readonly known: readonly Correction[];
}

/** One request asks several times, with nothing written in between: the log is read once. */
const learned = new WeakMap<object, Learned>();

/** The last one was learned most recently. */
async function corrections<M extends Message>(session: Session<M>): Promise<readonly Correction[]> {
  const at = await session.state();
  const before = learned.get(session);
  if (before !== undefined && isSameMoment(before.at, at)) return before.known;
  const known = await readCorrections(session);
  learned.set(session, { at, known });
  return known;
}

function isSameMoment(one: Learned["at"], other: Learned["at"]): boolean {
  return one?.id === other?.id && one?.seq === other?.seq && one?.updated === other?.updated;
}

async function readCorrections<M extends Message>(session: Session<M>): Promise<readonly Correction[]> {
  const data = (await session.lastNote(TOKEN_CORRECTION_NOTE))?.data;
  if (!isJsonObject(data) || !Array.isArray(data["models"])) return [];
  // Any program can write a note: a value of the wrong shape counts as unknown.
  return data["models"].filter(isCorrection);
}

function isCorrection(value: unknown): value is Correction {
  if (!isJsonObject(value) || typeof value["model"] !== "string") return false;
  const factor = value["factor"];
  return typeof factor === "number" && factor >= LEAST && factor <= MOST;
}

function factorOf(known: readonly Correction[], model: string): number | undefined {
  return known.findLast((correction) => correction.model === model)?.factor;
}

function checkModel(model: unknown): void {
  if (typeof model === "string" && model.length > 0 && model.length <= MAX_NAME_LENGTH) return;
  throw new LonghandError(
    "OPTION_INVALID",
    `model must be the name of a model, 1 to ${MAX_NAME_LENGTH} characters long`,
    { option: "model" },
  );
}
