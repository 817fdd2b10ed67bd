/** Whether a model can be used, asked without letting it generate anything: of Ollama, and of the lists that hosted providers have. */

import { isAgentError, AgentError } from "../errors.ts";
import { withDeadline } from "../kernel/with-deadline.ts";
import { tryParseJson } from "../parse-json.ts";
import { suggestName } from "../suggest-name.ts";
import type { ModelCheck } from "./model.ts";
import { showOllamaModel, type OllamaAnswer } from "./ollama-api.ts";

/** Milliseconds. */
const CHECK_LIMIT = 10_000;

export async function checkOllama(url: string, model: string, signal: AbortSignal): Promise<ModelCheck> {
  return await checked(`Ollama at ${url}`, signal, async () => {
    const { status } = await showOllamaModel({ url, within: CHECK_LIMIT, signal }, model);
    if (status === 200) return { result: "usable" };
    if (status !== 404) return unknown(`Ollama at ${url} answered with status ${status}`);
    return unusable(`Ollama at ${url} has no model "${model}"; get it with: ollama pull ${model}`);
  });
}

/** By the list of models, which most servers of this kind have. */
export async function checkOpenai(
  {
    url,
    model,
    apiKey,
  }: { readonly url: string; readonly model: string; readonly apiKey: string | undefined },
  signal: AbortSignal,
): Promise<ModelCheck> {
  return await checked(url, signal, async () => {
    const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    const { status, body } = await ask(`${url}/models`, headers, signal);
    if (isRefusal(status)) return unusable(`${url} refused the API key (status ${status})`);
    const listed = body?.["data"];
    if (status !== 200 || !Array.isArray(listed)) return unknown(`${url} has no list of its models`);
    const names = listed.map((each: unknown) => idOf(each));
    if (names.includes(model)) return { result: "usable" };
    const near = suggestName(model, names);
    return unusable(`${url} has no model "${model}"${near === undefined ? "" : `; did you mean ${near}?`}`);
  });
}

export async function checkAnthropic(
  { url, model, apiKey }: { readonly url: string; readonly model: string; readonly apiKey: string },
  signal: AbortSignal,
): Promise<ModelCheck> {
  return await checked(url, signal, async () => {
    const headers = { "x-api-key": apiKey, "anthropic-version": "2023-06-01" };
    const { status, body } = await ask(`${url}/models/${encodeURIComponent(model)}`, headers, signal);
    if (status === 200) return { result: "usable" };
    if (isRefusal(status)) return unusable(`${url} refused the API key (status ${status})`);
    const error = body?.["error"];
    const isNotFound =
      typeof error === "object" && error !== null && "type" in error && error.type === "not_found_error";
    return isNotFound
      ? unusable(`your account has no model "${model}" at ${url}`)
      : unknown(`${url} answered with status ${status}`);
  });
}

/** What cannot be reached is unusable; what does not answer in time may be slow. */
async function checked(
  server: string,
  signal: AbortSignal,
  check: () => Promise<ModelCheck>,
): Promise<ModelCheck> {
  try {
    return await check();
  } catch (error) {
    if (signal.aborted) throw error;
    if (isAgentError(error, "MODEL_STALLED")) return unknown(`${server} did not answer in time`);
    return unusable(`${server} cannot be reached`);
  }
}

async function ask(
  address: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<OllamaAnswer> {
  const send = async (limit: AbortSignal): Promise<OllamaAnswer> => {
    // A key is never sent on to another address.
    const response = await fetch(address, { headers, signal: limit, redirect: "manual" });
    const parsed = tryParseJson(await response.text());
    const isObject = typeof parsed === "object" && parsed !== null;
    return { status: response.status, body: isObject ? (parsed as Record<string, unknown>) : undefined };
  };
  return await withDeadline(CHECK_LIMIT, send, {
    signal,
    timedOut: () => new AgentError("MODEL_STALLED", `${address} did not answer within ${CHECK_LIMIT} ms`),
  });
}

function isRefusal(status: number): boolean {
  return status === 401 || status === 403;
}

function idOf(model: unknown): string {
  const hasId = typeof model === "object" && model !== null && "id" in model;
  return hasId && typeof model.id === "string" ? model.id : "";
}

function unusable(reason: string): ModelCheck {
  return { result: "unusable", reason };
}

function unknown(reason: string): ModelCheck {
  return { result: "unknown", reason };
}
