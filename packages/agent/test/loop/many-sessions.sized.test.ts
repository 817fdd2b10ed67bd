/**
 * Many sessions at once against a model server on loopback, each with a tool call: every turn complete and durable, none
 * mixed up with another, and the memory flat from round to round. The figures are printed; docs/agent.md quotes those of 500 sessions.
 */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openStore } from "@longhand/store";
import * as z from "zod";
import { afterEach, expect, test } from "vitest";
import { sized } from "../../../../test/support/sized.ts";
import { openaiCompatible } from "../../src/models/openai-compatible.ts";
import { defineTool } from "../../src/tools/tool.ts";
import {
  openTestLoop,
  removeDirectories,
  settingsIn,
  temporaryDirectory,
} from "../support/open-test-loop.ts";
import { startOpenaiServer } from "../support/openai-server.ts";
import type { RecordedRequest } from "../support/model-server.ts";

const SESSIONS = sized(100, 500);
const ROUNDS = 2;
/** Measured: the heap grows by about 2 MB a round; a leak of what each turn holds would be more than this. */
const MOST_GROWTH_MEGABYTES = 60;

const tool = defineTool({
  name: "double",
  description: "Twice a number",
  parameters: z.object({ number: z.number() }),
  isReadOnly: true,
  run: ({ number }) => String(number * 2),
});

interface WireMessage {
  readonly role: string;
  readonly content: string | null;
}

afterEach(removeDirectories);

function lastOf(request: RecordedRequest): WireMessage | undefined {
  return (request.body?.["messages"] as WireMessage[] | undefined)?.at(-1);
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heapMegabytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

test(`${SESSIONS} sessions at once: all turns complete, durable and their own; memory flat`, async () => {
  const directory = await temporaryDirectory();
  const server = await startOpenaiServer((request) => {
    const last = lastOf(request);
    if (last?.role === "tool") return { text: `The answer is ${last.content ?? ""}.` };
    const number = Number(/\d+/.exec(last?.content ?? "")?.[0]);
    return { calls: [{ id: `call-${number}`, name: "double", arguments: { number } }] };
  });
  const model = openaiCompatible({ model: "small", url: server.url, apiKey: "key-for-tests" });
  const settings = settingsIn(directory, model, { tools: () => [tool] });
  const { loop, events, problems } = await openTestLoop(directory, [settings]);
  const heaps: number[] = [];
  const started = performance.now();
  for (let round = 0; round < ROUNDS; round++) {
    const numbers = Array.from({ length: SESSIONS }, (_, index) => round * SESSIONS + index);
    const results = await Promise.all(
      numbers.map(async (number) => {
        const conversation = loop.agent().conversation(`session ${number % SESSIONS}`);
        return await conversation.say({ text: `Double ${number}, please.` });
      }),
    );
    expect(results.map(({ text }) => text)).toEqual(numbers.map((number) => `The answer is ${number * 2}.`));
    await Promise.all(
      numbers.map(
        async (number) =>
          await loop
            .agent()
            .conversation(`session ${number % SESSIONS}`)
            .settled(),
      ),
    );
    // Held by this test alone.
    events.length = 0;
    heaps.push(heapMegabytes());
  }
  const seconds = (performance.now() - started) / 1000;
  await loop.close();
  await server.close();
  expect(problems).toEqual([]);

  const store = await openStore(settings.sessions ?? "");
  for (let session = 0; session < SESSIONS; session++) {
    const messages = await store.session(`session ${session}`).messages();
    const expected = Array.from({ length: ROUNDS }, (_, round) => round * SESSIONS + session).flatMap(
      (number) => [`Double ${number}, please.`, String(number * 2), `The answer is ${number * 2}.`],
    );
    expect(messages.map(({ content }) => content).filter((content) => content !== "")).toEqual(expected);
  }
  expect((await store.verify()).damage).toEqual([]);
  await store.close();
  const turns = SESSIONS * ROUNDS;
  console.log(
    `${turns} turns of ${SESSIONS} sessions in ${seconds.toFixed(1)} s (${Math.round(turns / seconds)} turns a second); ` +
      `heap after each round: ${heaps.map((heap) => `${Math.round(heap)} MB`).join(", ")}`,
  );
  expect((heaps.at(-1) ?? 0) - (heaps[0] ?? 0)).toBeLessThan(MOST_GROWTH_MEGABYTES);
}, 300_000);
