/** Errors that speak of tokens, lengths and limits, and have nothing to do with the context window. */

export const NOT_OVERFLOWS: readonly (readonly [what: string, error: unknown])[] = [
  [
    "an answer longer than the model gives",
    new Error(
      "400 max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.",
    ),
  ],
  [
    "the same with a code",
    {
      error: {
        message: "max_tokens: 100000 > 64000, which is the maximum allowed",
        type: "invalid_request_error",
      },
    },
  ],
  [
    "an invalid parameter",
    {
      error: {
        code: "InvalidParameter",
        message:
          "The parameter `max_completion_tokens` specified in the request are not valid: integer above maximum value, expected a value <= 12288, but got 32000 instead.",
      },
    },
  ],
  ["another invalid parameter", { code: "InvalidParameter", message: "temperature must be between 0 and 2" }],
  ["max_tokens missing", { error: { type: "invalid_request_error", message: "max_tokens: Field required" } }],
  [
    "a rate limit by tokens",
    {
      status: 429,
      error: {
        code: "rate_limit_exceeded",
        type: "tokens",
        message:
          "Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 28900, Requested 2400. Please try again in 2.6s.",
      },
    },
  ],
  [
    "a request too large for the rate limit",
    {
      status: 429,
      error: {
        code: "rate_limit_exceeded",
        type: "tokens",
        message:
          "Request too large for gpt-4 in organization org-x on tokens per min (TPM): Limit 10000, Requested 12345. The input or output tokens must be reduced in order to run successfully.",
      },
    },
  ],
  [
    "an organisation's limit",
    {
      error: {
        type: "rate_limit_error",
        message:
          "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
      },
    },
  ],
  [
    "a quota",
    new Error("You have exceeded your monthly token limit. Please check your plan and billing details."),
  ],
  [
    "a daily quota",
    { error: { code: "insufficient_quota", message: "token limit exceeded for this billing period" } },
  ],
  [
    "credits",
    new Error(
      "402 This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 1200.",
    ),
  ],
  ["an expired token", new Error("401 Your authentication token has expired. Please sign in again.")],
  ["too many tokens of another kind", new Error("too many tokens: expected 1 bearer token, got 2")],
  ["a proxy's limit", Object.assign(new Error("Request Entity Too Large"), { status: 413 })],
  [
    "a proxy's page",
    new Error("<html><head><title>413 Request Entity Too Large</title></head><body>nginx</body></html>"),
  ],
  [
    "a request that is too large in bytes",
    { error: { type: "request_too_large", message: "Request exceeds the maximum size" } },
  ],
  [
    "a string that is too long",
    {
      error: {
        code: "string_above_max_length",
        message:
          "Invalid 'messages[2].content': string too long. Expected a string with maximum length 1048576, but got a string with length 1048577 instead.",
      },
    },
  ],
  [
    "too many tools",
    new Error(
      "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 130 instead.",
    ),
  ],
  [
    "an image that is too large",
    new Error(
      "messages.4.content.0.image.source.base64: image exceeds 5 MB maximum: 6184120 bytes > 5242880 bytes",
    ),
  ],
  [
    "an advertisement of the window",
    new Error("Model not found. Did you mean gpt-4.1, whose maximum context length is 1047576 tokens?"),
  ],
  ["a JSON error", new SyntaxError("Unexpected token < in JSON at position 0")],
  [
    "a time-out",
    Object.assign(new Error("The operation was aborted due to timeout"), { name: "TimeoutError" }),
  ],
  ["an overloaded server", { error: { type: "overloaded_error", message: "Overloaded" } }],
  ["a finish reason", { type: "max_tokens", message: "the answer was cut" }],
  ["a server without words", new Error("400 status code (no body)")],
];
