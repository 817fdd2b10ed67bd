/** Messages of other formats for property tests: what real programs send, and what they could send. */

import fc from "fast-check";

const text = fc.oneof(fc.string(), fc.constantFrom("", " ", "hello", "[1]", '{"a":1}'));
const json = fc.jsonValue({ maxDepth: 2 });
const id = fc.constantFrom("", "call_0", "call_1", "toolu_1");
const name = fc.constantFrom("read_file", "weather", "");
const argumentsText = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value, undefined, 2)),
  fc.constantFrom(
    "",
    "{",
    "not JSON",
    '{"n": 12345678901234567890}',
    '{"a":1,"a":2}',
    '{ "a" : 1 }',
    "1e999",
    "-0",
    "[-0]",
  ),
  fc.string(),
);
const url = fc.constantFrom(
  "https://example.org/a.png",
  "data:image/png;base64,iVBORw0=",
  "data:,x",
  "iVBORw0=",
  "",
);
/** Fields that no converter knows. */
const extra = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  fc.dictionary(
    fc.constantFrom(
      "refusal",
      "annotations",
      "created_at",
      "cache_control",
      "id",
      "foreign",
      "toolCalls",
      "model",
    ),
    json,
    {
      maxKeys: 2,
    },
  ),
);
const partial = <T>(
  fields: { readonly [K in keyof T]: fc.Arbitrary<T[K]> },
  required: (keyof T)[],
): fc.Arbitrary<object> =>
  fc.tuple(fc.record(fields, { requiredKeys: required }), extra).map(([own, more]) => ({ ...more, ...own }));

const openAIPart = fc.oneof(
  partial({ type: fc.constant("text"), text }, ["type", "text"]),
  fc.record({
    type: fc.constant("image_url"),
    image_url: partial({ url, detail: fc.constant("low") }, ["url"]),
  }),
  fc.record({ type: fc.constant("file"), file: partial({ file_data: url, filename: text }, []) }),
  fc.record({ type: fc.constant("input_audio"), input_audio: json }),
);
const openAICall = fc.oneof(
  partial(
    {
      id,
      type: fc.constant("function"),
      function: partial({ name, arguments: argumentsText }, ["name", "arguments"]),
    },
    ["function"],
  ),
  // Ollama: no id, and an object.
  fc.record({ function: fc.record({ name, arguments: fc.dictionary(text, json) }) }),
  fc.record({ id, type: fc.constant("custom"), custom: fc.record({ name, input: text }) }),
);
const openAIContent = fc.oneof(text, fc.constant(null), fc.array(openAIPart, { maxLength: 3 }));
export const openAIMessages: fc.Arbitrary<{ role: string }[]> = fc.array(
  fc.oneof(
    partial({ role: fc.constantFrom("system", "developer", "user"), content: openAIContent, name: text }, [
      "role",
      "content",
    ]),
    partial(
      {
        role: fc.constant("assistant"),
        content: openAIContent,
        tool_calls: fc.oneof(fc.array(openAICall, { maxLength: 3 }), fc.constant(null)),
        reasoning_content: text,
      },
      ["role"],
    ),
    partial({ role: fc.constant("tool"), content: openAIContent, tool_call_id: id, tool_name: name }, [
      "role",
      "content",
    ]),
  ),
  { maxLength: 6 },
) as fc.Arbitrary<{ role: string }[]>;

const block = fc.oneof(
  partial({ type: fc.constant("text"), text }, ["type", "text"]),
  fc.record({
    type: fc.constantFrom("image", "document"),
    source: fc.oneof(
      fc.record({ type: fc.constant("base64"), media_type: fc.constant("image/png"), data: url }),
      fc.record({ type: fc.constant("url"), url }),
      fc.record({ type: fc.constant("text"), media_type: fc.constant("text/plain"), data: text }),
    ),
  }),
  fc.record({ type: fc.constant("server_tool_use"), id, name, input: json }),
);
const question = fc.oneof(
  block,
  partial(
    {
      type: fc.constant("tool_result"),
      tool_use_id: id,
      content: fc.oneof(text, fc.array(block, { maxLength: 2 })),
      is_error: fc.boolean(),
    },
    ["type", "tool_use_id"],
  ),
);
const answer = fc.oneof(
  block,
  fc.record({ type: fc.constant("thinking"), thinking: text, signature: text }),
  fc.record({ type: fc.constant("redacted_thinking"), data: text }),
  partial({ type: fc.constant("tool_use"), id, name, input: json }, ["type", "id", "name"]),
);
export const anthropicMessages: fc.Arbitrary<{ role: string; content: string }[]> = fc.array(
  fc.oneof(
    partial(
      {
        role: fc.constantFrom("user", "system"),
        content: fc.oneof(text, fc.array(question, { maxLength: 4 })),
      },
      ["role", "content"],
    ),
    partial({ role: fc.constant("assistant"), content: fc.oneof(text, fc.array(answer, { maxLength: 4 })) }, [
      "role",
      "content",
    ]),
  ),
  { maxLength: 6 },
) as unknown as fc.Arbitrary<{ role: string; content: string }[]>;

const modelPart = fc.oneof(
  partial({ type: fc.constant("text"), text, providerOptions: json }, ["type", "text"]),
  partial({ type: fc.constant("image"), image: url, mediaType: fc.constant("image/png") }, ["type", "image"]),
  partial({ type: fc.constant("file"), data: url, mediaType: fc.constant("text/csv"), filename: text }, [
    "type",
    "data",
    "mediaType",
  ]),
);
const output = fc.oneof(
  fc.record({ type: fc.constantFrom("text", "error-text"), value: text }),
  fc.record({ type: fc.constantFrom("json", "error-json"), value: json }),
  fc.record({ type: fc.constant("content"), value: fc.array(modelPart, { maxLength: 2 }) }),
  json,
);
const result = partial({ type: fc.constant("tool-result"), toolCallId: id, toolName: name, output }, [
  "type",
  "toolCallId",
  "toolName",
  "output",
]);
const modelAnswer = fc.oneof(
  modelPart,
  fc.record({ type: fc.constant("reasoning"), text }),
  partial({ type: fc.constant("tool-call"), toolCallId: id, toolName: name, input: json }, [
    "type",
    "toolCallId",
    "toolName",
  ]),
  result,
);
const modelMessage = fc.oneof(
  partial(
    {
      role: fc.constantFrom("system", "user"),
      content: fc.oneof(text, fc.array(modelPart, { maxLength: 3 })),
    },
    ["role", "content"],
  ),
  partial(
    { role: fc.constant("assistant"), content: fc.oneof(text, fc.array(modelAnswer, { maxLength: 4 })) },
    ["role", "content"],
  ),
  partial(
    {
      role: fc.constant("tool"),
      content: fc.array(
        fc.oneof(
          result,
          json.map((value) => ({ type: "tool-approval-response", value })),
        ),
        { maxLength: 3 },
      ),
    },
    ["role", "content"],
  ),
);
const uiPart = fc.oneof(
  partial({ type: fc.constant("text"), text, state: fc.constantFrom("done", "streaming") }, ["type", "text"]),
  partial({ type: fc.constant("reasoning"), text, state: fc.constant("done") }, ["type", "text"]),
  partial(
    { type: fc.constant("file"), mediaType: fc.constantFrom("image/png", "text/csv"), url, filename: text },
    ["type", "mediaType", "url"],
  ),
  fc.record({ type: fc.constantFrom("step-start", "data-weather") }),
  partial(
    {
      type: fc.constantFrom("tool-weather", "dynamic-tool"),
      toolName: name,
      toolCallId: id,
      state: fc.constantFrom(
        "input-streaming",
        "input-available",
        "output-available",
        "output-error",
        "output-denied",
      ),
      input: json,
      output: json,
      errorText: text,
    },
    ["type", "toolCallId", "state"],
  ),
);
const uiMessage = partial(
  {
    id: text,
    role: fc.constantFrom("system", "user", "assistant"),
    parts: fc.array(uiPart, { maxLength: 5 }),
  },
  ["id", "role", "parts"],
);
export const aiSdkMessages: fc.Arbitrary<{ role: string; content: string }[]> = fc.array(
  fc.oneof(modelMessage, uiMessage),
  {
    maxLength: 6,
  },
) as unknown as fc.Arbitrary<{ role: string; content: string }[]>;
