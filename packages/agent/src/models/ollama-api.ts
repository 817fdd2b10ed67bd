/** The two questions that Ollama is asked besides chatting: which models it has, and what one of them can do. */

import { AgentError } from "../errors.ts";
import { withDeadline } from "../kernel/with-deadline.ts";
import { tryParseJson } from "../parse-json.ts";

export interface OllamaQuestion {
  readonly url: string;
  /** Milliseconds. */
  readonly within: number;
  readonly signal?: AbortSignal | undefined;
}

export interface OllamaAnswer {
  readonly status: number;
  /** `undefined`: it was no JSON object. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Names, as Ollama sorts them: the newest first. Rejects if it does not run; `undefined`: what answers there is no Ollama. */
export async function listOllamaModels(question: OllamaQuestion): Promise<readonly string[] | undefined> {
  const { status, body } = await ask(question, "/api/tags", undefined);
  const models = body?.["models"];
  if (status !== 200 || !Array.isArray(models)) return undefined;
  return models.map((model: unknown) => nameOf(model)).filter((name) => name !== "");
}

/** Body of /api/show; status 404 if the model was not pulled. */
export async function showOllamaModel(question: OllamaQuestion, model: string): Promise<OllamaAnswer> {
  return await ask(question, "/api/show", { model });
}

/** E.g. "tools", "vision", "thinking". `undefined`: an Ollama too old to say. */
export function capabilitiesIn(answer: OllamaAnswer): readonly string[] | undefined {
  const found = answer.body?.["capabilities"];
  return answer.status === 200 && Array.isArray(found) ? found.map(String) : undefined;
}

async function ask(question: OllamaQuestion, path: string, body: object | undefined): Promise<OllamaAnswer> {
  const { url, within, signal } = question;
  const send = async (limit: AbortSignal): Promise<OllamaAnswer> => {
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`${url}${path}`, { ...sent, signal: limit });
    const parsed = tryParseJson(await response.text());
    const isObject = typeof parsed === "object" && parsed !== null;
    return { status: response.status, body: isObject ? (parsed as Record<string, unknown>) : undefined };
  };
  return await withDeadline(within, send, {
    ...(signal === undefined ? {} : { signal }),
    timedOut: () =>
      new AgentError("MODEL_STALLED", `Ollama at ${url} did not answer ${path} within ${within} ms`),
  });
}

function nameOf(model: unknown): string {
  if (typeof model !== "object" || model === null || !("name" in model)) return "";
  return typeof model.name === "string" ? model.name : "";
}
