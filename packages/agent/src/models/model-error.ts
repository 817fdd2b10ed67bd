/**
 * Owns what a failed call of a model is called: whatever a provider threw becomes an AgentError with a MODEL_ code, what the
 * server said and what to do about it. Nothing of the request is in it, and secrets are hidden. docs/models.md explains each.
 */

import { contextOverflow } from "@longhand/store/context";
import { AgentError, isAgentError, type AgentErrorCode } from "../errors.ts";
import { describeBody, messageIn, shorten } from "./describe-body.ts";
import { retryAfter } from "./retry-after.ts";

export interface FailedCall {
  /** Of the model. */
  readonly name: string;
  readonly redact: (text: string) => string;
  /** What a person can do, by what has happened. */
  readonly remedies: Remedies;
  /** The answer had begun: a connection that ends then has cut it off. */
  readonly hasBegun: boolean;
}

export interface Remedies {
  readonly unreachable?: string;
  /** Status 404: there is no such model, or no such address. */
  readonly notFound?: string;
  /** Status 401 and 403. */
  readonly notAllowed?: string;
}

const BUSY_WORDS = new Set([
  ...["overloaded_error", "rate_limit_error", "api_error", "timeout_error"],
  ...["server_error", "rate_limit_exceeded", "overloaded", "unavailable", "internal_server_error"],
]);
const REFUSED_WORDS = new Set([
  ...[
    "invalid_request_error",
    "authentication_error",
    "permission_error",
    "not_found_error",
    "billing_error",
  ],
  ...["invalid_api_key", "model_not_found", "insufficient_quota", "request_too_large"],
]);
/** Thrown by providers before anything is sent: the request is not one that they can make. */
const REFUSED_NAMES = new Set([
  ...[
    "AI_LoadAPIKeyError",
    "AI_LoadSettingError",
    "AI_UnsupportedFunctionalityError",
    "AI_InvalidPromptError",
  ],
  ...["AI_InvalidArgumentError", "AI_NoSuchModelError"],
]);
const NO_CONNECTION = new Set([
  ...[
    "ECONNREFUSED",
    "ECONNRESET",
    "ENOTFOUND",
    "EAI_AGAIN",
    "ETIMEDOUT",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "EPIPE",
  ],
  ...["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_SOCKET", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"],
]);

export function modelError(thrown: unknown, call: FailedCall): AgentError {
  const chain = causes(thrown);
  const own = chain.find((error) => isAgentError(error));
  if (isAgentError(own))
    return own.detail["model"] === call.name ? own : told(call, own.code, own.message, own.detail);
  const overflow = contextOverflow(thrown);
  const { status, headers } = httpOf(chain);
  const said = whatWasSaid(thrown, chain);
  const detail = status === undefined ? {} : { status };
  if (overflow !== undefined)
    return told(call, "MODEL_OVERFLOW", `the request does not fit into the model's context: ${said}`, {
      ...detail,
      ...overflow,
    });
  if (status !== undefined) return byStatus(call, status, said, headers);
  const code = networkCode(chain);
  if (code !== undefined && !call.hasBegun)
    return told(call, "MODEL_UNREACHABLE", `cannot be reached (${code}). ${call.remedies.unreachable ?? ""}`);
  if (code !== undefined || isCutOff(chain)) return cutOff(call, said);
  const words = wordsIn(thrown);
  if (words.some((word) => BUSY_WORDS.has(word))) return told(call, "MODEL_BUSY", said);
  if (words.some((word) => REFUSED_WORDS.has(word)) || chain.some((error) => REFUSED_NAMES.has(error.name)))
    return told(call, "MODEL_REFUSED", `the request was refused: ${said}`);
  return told(call, "MODEL_BROKEN", said);
}

export function cutOff(call: FailedCall, why: string): AgentError {
  return told(call, "MODEL_BROKEN", `the answer was cut off before its end: ${why}`, { isCutOff: true });
}

function byStatus(
  call: FailedCall,
  status: number,
  said: string,
  headers: Readonly<Record<string, string | undefined>>,
): AgentError {
  if (status === 408 || status === 429 || status >= 500) {
    const wait = retryAfter(headers, Date.now());
    const message = `is busy or broken at the moment (status ${status}): ${said}`;
    return told(call, "MODEL_BUSY", message, { status, ...(wait === undefined ? {} : { retryAfter: wait }) });
  }
  if (status < 400)
    return told(call, "MODEL_BROKEN", `gave an answer that cannot be read: ${said}`, { status });
  const { notFound, notAllowed } = call.remedies;
  const remedy = status === 404 ? notFound : status === 401 || status === 403 ? notAllowed : undefined;
  const message = `the request was refused (status ${status}): ${said}. ${remedy ?? ""}`;
  return told(call, "MODEL_REFUSED", message, { status });
}

function told(
  call: FailedCall,
  code: AgentErrorCode,
  message: string,
  detail: Readonly<Record<string, unknown>> = {},
): AgentError {
  // The cause stays behind: a provider's error carries the whole request, and the key with it.
  return new AgentError(code, call.redact(`${call.name}: ${message}`.trim()), {
    ...detail,
    model: call.name,
  });
}

function causes(thrown: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let error = thrown; error instanceof Error && chain.length < 10; error = error.cause)
    chain.push(error);
  return chain;
}

function httpOf(chain: readonly Error[]): {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | undefined>>;
} {
  for (const error of chain) {
    if (!("statusCode" in error) || typeof error.statusCode !== "number") continue;
    const headers = "responseHeaders" in error ? error.responseHeaders : undefined;
    return { status: error.statusCode, headers: (headers ?? {}) as Readonly<Record<string, string>> };
  }
  return { status: undefined, headers: {} };
}

function whatWasSaid(thrown: unknown, chain: readonly Error[]): string {
  for (const error of chain) {
    const body = "responseBody" in error ? error.responseBody : undefined;
    if (typeof body === "string" && body.trim() !== "") return describeBody(body);
  }
  const message = chain[0]?.message ?? messageIn(thrown) ?? "";
  return shorten(message === "" ? "the server did not say why" : message);
}

function networkCode(chain: readonly Error[]): string | undefined {
  for (const error of chain) {
    const inner = error instanceof AggregateError ? causes(error.errors[0]) : [];
    for (const candidate of [error, ...inner]) {
      const code = "code" in candidate ? String(candidate.code) : "";
      if (NO_CONNECTION.has(code)) return code;
    }
  }
  return undefined;
}

/** How Node's fetch and the providers say that a body ended too early. */
function isCutOff(chain: readonly Error[]): boolean {
  return chain.some((error) => /^terminated$|without a finish reason|other side closed/.test(error.message));
}

/** The words by which providers name a failure inside a stream, e.g. "overloaded_error". */
function wordsIn(thrown: unknown): readonly string[] {
  if (typeof thrown !== "object" || thrown === null) return [];
  const fields = thrown as Readonly<Record<string, unknown>>;
  const inner = fields["error"] ?? fields["cause"];
  return [fields["type"], fields["code"], ...wordsIn(inner)].filter((word) => typeof word === "string");
}
