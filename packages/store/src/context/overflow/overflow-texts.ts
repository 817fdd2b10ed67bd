/**
 * What providers say when a request does not fit into the model's context window, word for word, with the numbers in it.
 * Each pattern begins where the message begins: a text that merely quotes such words is something else. Nothing broader:
 * "max_tokens", "token limit" or "invalid parameter" alone stand for many other errors.
 */

/** In tokens, as far as the provider says. */
export interface ContextOverflow {
  /** Of the model's window. */
  readonly limit?: number;
  /** What the request came to, together with the room asked for the answer where the provider counts that in. */
  readonly needed?: number;
  /** Of `needed`: the room asked for the answer. Where it alone is the matter, a shorter history will not help. */
  readonly answer?: number;
}

/** Of the fields `code`, `type` and `status` of an error. */
export const OVERFLOW_CODES: ReadonlySet<string> = new Set([
  // OpenAI, Azure OpenAI, Groq, xAI, OpenRouter and others that speak alike
  "context_length_exceeded",
  // llama.cpp
  "exceed_context_size_error",
  // GitHub Copilot
  "model_max_prompt_tokens_exceeded",
  // Z.ai
  "model_context_window_exceeded",
]);

const N = String.raw`[\d,]{1,15}`;

/** Named groups: limit, needed, answer; input: needed is then input + answer. */
const PATTERNS: readonly RegExp[] = [
  // OpenAI, Azure OpenAI, DeepSeek, vLLM, OpenRouter; the second half is read by DETAILS
  pattern(`this (?:model|endpoint)'s maximum context length is (?<limit>${N}) tokens`),
  // OpenAI (Responses)
  pattern("your input exceeds the context window of this model"),
  // OpenAI (GPT-5)
  pattern(
    `input tokens exceed the configured limit of (?<limit>${N}) tokens\\. your messages resulted in (?<needed>${N}) tokens`,
  ),
  // Groq
  pattern("please reduce the length of the messages or completion\\.?$"),
  // Anthropic, Amazon Bedrock
  pattern(`prompt is too long(?:: (?<needed>${N}) tokens > (?<limit>${N}) maximum|\\.?$)`),
  pattern(
    `input length and \`?max_tokens\`? exceed context limit: (?<input>${N}) \\+ (?<answer>${N}) > (?<limit>${N})`,
  ),
  // Amazon Bedrock
  pattern("input is too long for requested model"),
  // Gemini
  pattern(
    `the input token count(?: \\((?<needed>${N})\\))? exceeds the maximum number of tokens allowed(?: \\(?(?<limit>${N})\\)?)?`,
  ),
  // Vertex AI
  pattern(
    `unable to submit request because the input token count is (?<needed>${N}) but (?:the )?model only supports up to (?<limit>${N})`,
  ),
  // llama.cpp
  pattern(
    `(?:the )?request (?:\\((?<needed>${N}) tokens\\) )?exceeds the available context size(?: \\((?<limit>${N}) tokens\\))?`,
  ),
  // llama-cpp-python
  pattern(`requested tokens \\((?<needed>${N})\\) exceed context window of (?<limit>${N})`),
  // Ollama
  pattern(`prompt too long; exceeded (?:max )?context length(?: by ${N} tokens?)?`),
  pattern("(?:the )?input length exceeds (?:the |maximum )context length"),
  // LM Studio; "the overflows" is its own wording
  pattern(
    `trying to keep the first (?<needed>${N}) tokens when (?:the )?context (?:the )?overflows\\. however, the model is loaded with context length of only (?<limit>${N}) tokens`,
  ),
  pattern("the number of tokens to keep from the initial prompt is greater than the context length"),
  // vLLM
  pattern(
    `'max_tokens' or 'max_completion_tokens' is too large: (?<answer>${N})\\. this model's maximum context length is (?<limit>${N}) tokens and your request has (?<input>${N}) input tokens`,
  ),
  pattern(
    `the (?:decoder )?prompt \\((?:total )?length (?<needed>${N})\\) is (?:too long to fit into the model \\(context length|longer than the maximum model length of) (?<limit>${N})`,
  ),
  // Text Generation Inference
  pattern(
    `(?:input validation error: )?\`inputs\` tokens \\+ \`max_new_tokens\` must be <= (?<limit>${N})\\. given: (?<input>${N}) \`inputs\` tokens and (?<answer>${N}) \`max_new_tokens\``,
  ),
  // Mistral
  pattern(
    `prompt contains (?<needed>${N}) tokens(?: and ${N} draft tokens)?, too large for model with (?<limit>${N}) maximum context length`,
  ),
  // xAI
  pattern(
    `this model's maximum prompt length is (?<limit>${N}) but the request contains (?<needed>${N}) tokens`,
  ),
  // Together
  pattern(
    `the input \\((?<needed>${N}) tokens\\) is longer than the model's context length \\((?<limit>${N}) tokens\\)`,
  ),
  // GitHub Copilot
  pattern(`prompt token count of (?<needed>${N}) exceeds the limit of (?<limit>${N})`),
  // MiniMax
  pattern("invalid params, context window exceeds limit"),
  // Moonshot
  pattern(
    `(?:invalid request: )?your request exceeded model token limit: (?<limit>${N})(?: \\(requested: (?<needed>${N})\\))?`,
  ),
  // Qwen on Alibaba Cloud, whose code for it is InvalidParameter, like for everything else
  pattern(
    `(?:<400> )?(?:internalerror\\.algo\\.invalidparameter: )?range of input length should be \\[\\d+, (?<limit>${N})\\]`,
  ),
  // LiteLLM, which has recognised it itself
  pattern("litellm\\.(?:badrequesterror: litellm\\.)?contextwindowexceedederror:"),
];

/** The ways to go on after "This model's maximum context length is N tokens". */
const DETAILS: readonly RegExp[] = [
  new RegExp(
    `you requested (?<answer>${N}) output tokens and your prompt contains (?:at least )?(?<input>${N}) input tokens`,
    "i",
  ),
  new RegExp(
    `you requested (?:about )?(?<needed>${N}) tokens \\(${N} (?:in|of|for) [a-z ]{1,30}[,;] (?<answer>${N}) (?:in|for) the (?:completion|output)\\)`,
    "i",
  ),
  new RegExp(`you requested (?:about )?(?<needed>${N}) tokens`, "i"),
  new RegExp(
    `your (?:messages|prompt|request|input) (?:resulted in|contains?|has) (?:at least )?(?<needed>${N}) (?:input )?tokens`,
    "i",
  ),
];

/** What clients put before a provider's own words, layer by layer. */
const WRAPPING =
  /^(?:(?:api )?error(?: code)?:\s+|[\w.]{0,60}(?:error|exception):\s+|(?:http |status(?: code)?:? )?\d{3}(?: bad request| payload too large)?(?: -|:)?\s+|got status: \w{1,30}\.\s+|the model returned the following errors: |failed after \d+ attempts\. last error: )/i;
const MAX_LAYERS = 8;
const LONGEST_TEXT = 4000;

/** `undefined`: these are not the words of an overflow. */
export function readOverflowText(text: string): ContextOverflow | undefined {
  for (const candidate of layersOf(text.slice(0, LONGEST_TEXT).trim())) {
    for (const known of PATTERNS) {
      const match = known.exec(candidate);
      if (match !== null) return numbersOf({ ...match.groups, ...detailsOf(candidate, match.groups) });
    }
  }
  return undefined;
}

/** The text from where the provider's own words, or its JSON, begin. */
export function withoutWrapping(text: string): string {
  return layersOf(text).at(-1) ?? text;
}

/** The text, then without the first thing put before it, and so on. */
function layersOf(text: string): readonly string[] {
  const layers = [text];
  let rest = text;
  for (let wrapped = WRAPPING.exec(rest); wrapped !== null && layers.length < MAX_LAYERS;) {
    rest = rest.slice(wrapped[0].length);
    layers.push(rest);
    wrapped = WRAPPING.exec(rest);
  }
  return layers;
}

function detailsOf(
  text: string,
  known: Readonly<Record<string, string | undefined>> | undefined,
): Readonly<Record<string, string | undefined>> {
  if (known?.["limit"] === undefined || known["needed"] !== undefined || known["input"] !== undefined)
    return {};
  for (const detail of DETAILS) {
    const groups = detail.exec(text)?.groups;
    if (groups !== undefined) return groups;
  }
  return {};
}

function numbersOf(groups: Readonly<Record<string, string | undefined>>): ContextOverflow {
  const limit = toNumber(groups["limit"]);
  const answer = toNumber(groups["answer"]);
  const input = toNumber(groups["input"]);
  const needed = input === undefined ? toNumber(groups["needed"]) : input + (answer ?? 0);
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(needed === undefined ? {} : { needed }),
    ...(answer === undefined ? {} : { answer }),
  };
}

function toNumber(digits: string | undefined): number | undefined {
  const bare = digits?.replaceAll(",", "") ?? "";
  return bare === "" ? undefined : Number(bare);
}

function pattern(source: string): RegExp {
  return new RegExp(`^${source}`, "i");
}
