/**
 * A turn with everything in it: reasoning, text, two calls that only read, one call with a side effect, a word that steers, an
 * overflow that compacts, an answer that is slow enough to be kept in parts. Run in processes that are killed (killed-turn.mjs)
 * and in this one; hence plain JavaScript, and handed in what it needs.
 */

export const KEY = "kill";
export const SAID = { text: "count, please", id: "said-1" };
export const STEERED = { text: "and greet" };

/** Messages from earlier, so that there is something to compact. */
export const EARLIER = Array.from({ length: 24 }, (_, index) => ({
  role: index % 2 === 0 ? "user" : "assistant",
  content: `${index % 2 === 0 ? "question" : "answer"} ${index} ${"so and so ".repeat(20)}`,
}));

const USAGE = { inputTokens: 500, outputTokens: 10, cachedTokens: undefined };
const finish = (reason) => ({ type: "finish", reason, usage: USAGE });
const call = (id, name, input) => ({ type: "tool-call", id, name, arguments: JSON.stringify(input) });

/** `effect` is the side effect; `wait` resolves after so many milliseconds; `overflow` makes the provider's error. */
export function scenario({ effect, wait, overflow, steering, settings }) {
  let asked = 0;
  const model = {
    name: "scripted",
    async *stream(request) {
      // What a model under a strict provider would be refused for is for the judge; this one only speaks.
      if (request.tools.length === 0) {
        yield { type: "text", text: "They talked about this and that." };
        yield finish("stop");
        return;
      }
      asked += 1;
      if (asked === 1) {
        yield { type: "reasoning", text: "I must look. " };
        yield { type: "text", text: "Let me " };
        yield { type: "text", text: "look." };
        yield call("one", "look", { at: "a" });
        yield call("two", "look", { at: "b" });
        yield finish("tool-calls");
      } else if (asked === 2) {
        yield { type: "text", text: "Now I count." };
        yield call("three", "count", {});
        yield finish("tool-calls");
      } else if (asked === 3) {
        throw overflow();
      } else {
        yield { type: "reasoning", text: "Nearly there. " };
        yield { type: "text", text: "It is " };
        await wait(1100);
        yield { type: "text", text: "one. Hello!" };
        yield finish("stop");
      }
    },
  };
  const parse = (input) => ({ input });
  const schemaOf = (name) => ({ name, description: name, parameters: { type: "object" } });
  const tools = [
    {
      name: "look",
      description: "look",
      schema: schemaOf("look"),
      isReadOnly: true,
      parse,
      run: async ({ at }) => `seen ${at}`,
    },
    {
      name: "count",
      description: "count",
      schema: schemaOf("count"),
      isReadOnly: false,
      parse,
      run: async () => {
        await effect();
        steering.offer(STEERED);
        return "counted";
      },
    },
  ];
  return {
    agent: "test",
    model,
    tools,
    system: async () => "Be brief.",
    maxContextTokens: 8000,
    ...settings,
  };
}

const WRITES = new Set([
  "append",
  "note",
  "compact",
  "truncate",
  "rewind",
  "replace",
  "setSummary",
  "undoCut",
]);

/** The session, with `before` and `after` told the number of each write, one that is refused too. What they throw or reject with is the write's failure. */
export function watchWrites(session, { before, after }) {
  let writes = 0;
  return new Proxy(session, {
    get(target, name) {
      const value = target[name];
      if (typeof value !== "function") return value;
      if (!WRITES.has(name)) return value.bind(target);
      return async (...given) => {
        const number = (writes += 1);
        await before(number);
        try {
          return await value.apply(target, given);
        } finally {
          await after(number);
        }
      };
    },
  });
}
