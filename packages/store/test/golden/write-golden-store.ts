/** Writes the golden store anew: always the same bytes, since time and chance are given. README.md tells the story. */

import { jsonlBackend, openStore, type Message, type Session, type Store } from "../../src/index.ts";
import type { Host } from "../../src/host/host.ts";
import { failingHost, SimulatedMachine } from "../../src/testing/index.ts";
import { withInstance } from "../support/begin-instance.ts";
import { landingFaults } from "../support/apply-faults.ts";
import { DIRECTORY, journalIn, readSimulatedFile } from "../support/simulated-store.ts";
import { fileNameOf, sealed } from "./independent-reader.ts";

export const KEY = "telegram:123456";
const PATH = `${DIRECTORY}/${fileNameOf(KEY)}`;
const START = Date.UTC(2026, 10, 15, 19, 24, 12);

export interface GoldenStore {
  /** The session file when its writer dies, with records in the journal that have not landed. */
  readonly crashedSession: Buffer;
  readonly crashedJournal: Buffer;
  /** The session file after the next one has opened the store. */
  readonly recoveredSession: Buffer;
}

type Step = (session: Session) => Promise<unknown>;
const user = (content: string): Message => ({ role: "user", content });

/** Seq 1 to 17: every kind of record that this version writes. */
const FIRST_STEPS: readonly Step[] = [
  async (session) => await session.append(user('Grüße! 🙂 "quoted" \\ tab\t newline\n 名前')),
  async (session) =>
    await session.append(
      [
        {
          role: "assistant",
          content: "",
          toolCalls: [
            { id: "call-1", name: "read_file", arguments: { path: "a.txt", lines: [1, 2.5, -3e-7] } },
          ],
        },
        { role: "tool", toolCallId: "call-1", content: [{ type: "text", text: "hello" }], isError: false },
        { role: "assistant", content: "It says hello.", usage: { inputTokens: 10, outputTokens: 4 } },
      ],
      { id: 'turn "1"' },
    ),
  async (session) => await session.setTitle("A file"),
  async (session) => await session.setTags(["work", "größe"]),
  async (session) => await session.note("usage", { tokens: 14, by: null }, { id: "note-1" }),
  async (session) => await session.setSummary("They read a file."),
  async (session) => await session.append(user("and now?")),
  async (session) => await session.truncate({ keepLast: 3 }),
  async (session) => await session.compact({ summary: "They read a file that says hello.", keepFrom: 9 }),
  async (session) => await session.rewind({ to: 4 }),
  async (session) => await session.append(user("another way")),
  async (session) => await session.rewind({ messages: 1 }),
  async (session) =>
    await session.replace([user("from the start"), user("again")], { summary: "Begun again." }),
];

/** A line that is no record, and a record of a kind that this version does not know. */
const FROM_A_NEWER_VERSION: readonly string[] = [
  '{"bookmark":17,"at":"2026-11-15T19:25:00.000Z"',
  '{"seq":18,"at":"2026-11-15T19:25:00.000Z","op":"reaction","of":16,"emoji":"👍"',
];

/** Seq 19 to 22: acknowledged, but never landed by their writer. */
const LAST_STEPS: readonly Step[] = [
  async (session) => await session.append([user("not landed"), user("nor this")]),
  async (session) => await session.append({ role: "assistant", content: "nor that" }, { id: "last" }),
  async (session) => await session.rewind({ messages: 1 }),
];

export async function writeGoldenStore(): Promise<GoldenStore> {
  const machine = new SimulatedMachine();
  const clock = { seconds: 0 };
  const host = timed(machine.startProcess(), clock);
  const store = await withInstance(await openStore(jsonlBackend(DIRECTORY, { host })));
  const id = await run(store, FIRST_STEPS, clock);
  await store.close();
  const file = await host.files.open(PATH, "write");
  const lines = FROM_A_NEWER_VERSION.map((line) => sealed(line, id)).join("");
  await file.write(Buffer.from(lines), (await file.stat()).size);

  clock.seconds = 100;
  const dying = failingHost(timed(machine.startProcess(), clock), landingFaults().plan);
  await run(
    await withInstance(
      await openStore(jsonlBackend(DIRECTORY, { host: dying }), { onError: () => undefined }),
    ),
    LAST_STEPS,
    clock,
  );

  clock.seconds = 200;
  const next = timed(machine.capture().afterKill().startProcess(), clock);
  const crashedSession = await readSimulatedFile(next, PATH);
  const crashedJournal = await readSimulatedFile(next, await journalIn(next));
  await (await openStore(jsonlBackend(DIRECTORY, { host: next }))).close();
  return { crashedSession, crashedJournal, recoveredSession: await readSimulatedFile(next, PATH) };
}

/** A second between two steps. Resolves with the session's id. */
async function run(store: Store, steps: readonly Step[], clock: { seconds: number }): Promise<string> {
  for (const step of steps) {
    clock.seconds += 1;
    await step(store.session(KEY));
  }
  return (await store.session(KEY).state())?.id ?? "";
}

/** Time stands still within a step, and chance is the same all through it: how often they are asked does not show. */
function timed(host: Host, clock: { readonly seconds: number }): Host {
  return {
    files: host.files,
    processes: host.processes,
    user: host.user,
    wait: async (milliseconds, background) => await host.wait(milliseconds, background),
    now: () => START + clock.seconds * 1000,
    randomBytes: (length) => new Uint8Array(length).fill(clock.seconds),
  };
}
