/** One directory through many kills: in each round one writer, or several at once, live and are killed. */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SeededRandom } from "@longhand/store/testing";
import { makeOwnDirectory, removeOwnDirectory } from "../disks/own-directories.ts";
import { removeStaleDirectories } from "../disks/stale-directories.ts";
import { Violation, type Findings, type Slice } from "../part.ts";
import { examineAsReader, examineAsWriter } from "../writers/examine-store.ts";
import { keepEvidence } from "../writers/keep-evidence.ts";
import { Ledger } from "../writers/ledger.ts";
import type { Write } from "../writers/operation.ts";
import type { Orders } from "../writers/orders.ts";
import { tellLives, unexpected } from "../writers/tell-lives.ts";
import { WriterProcess } from "../writers/writer-process.ts";

interface Lives {
  readonly slice: Slice;
  readonly findings: Findings;
  readonly rounds: number;
  readonly conduct: Orders["conduct"];
}

const KEYS = ["kills:1", "kills:2", "kills:3", "kills:4"] as const;
/** In every third round there are several at once, who take over from each other. */
const AT_ONCE = [1, 1, 3] as const;
/** Whatever it was to wait for: it is killed then. */
const LONGEST_LIFE = 10_000;

export async function runLives({ slice, findings, rounds, conduct }: Lives): Promise<void> {
  await removeStaleDirectories();
  const random = new SeededRandom(slice.seed * 1_000_003 + slice.number * 7877);
  const parent = makeOwnDirectory();
  const directory = join(parent, "store");
  const ledger = new Ledger();
  let again: Write[] = [];
  let life = 0;
  let waiting = startWriters(1, conduct);
  try {
    for (let round = 1; round <= rounds; round += 1) {
      const writers = waiting;
      const moments: string[] = [];
      await Promise.all(writers.map(async (writer) => await writer.started()));
      await Promise.all(
        writers.map(async (writer, index) => {
          life += 1;
          writer.begin({
            ...{ directory, life, seed: random.below(2 ** 31), conduct },
            keys: [...KEYS, ...ledger.forks.slice(-2)],
            again: index === 0 ? again : [],
            ...{ segmentBytes: 24 * 1024, journalBytes: 64 * 1024, longText: 6000, hugeText: 300_000 },
          });
          const moment = momentOf(random, conduct);
          moments.push(moment.words);
          await moment.come(writer);
          await writer.kill();
        }),
      );
      // The next ones start up while we look at what these have left.
      waiting = round === rounds ? [] : startWriters(round + 1, conduct);
      const heard = writers.map(({ told }) => ledger.hear(told, writers.length === 1));
      again = heard.flat();
      findings.count("kills", writers.length);
      for (const { told } of writers)
        findings.count("acknowledgements", told.filter(({ kind }) => kind === "done").length);
      const wrong =
        // The control must be found by what it has lost.
        (conduct === "honest" ? unexpected(writers, ["SESSION_EXISTS", "SESSION_NOT_FOUND"]) : undefined) ??
        (await examineAsReader(directory, ledger)) ??
        // Now and then it is left to the next writer to recover what these have left.
        (random.below(3) > 0 || round === rounds
          ? await examineAsWriter(directory, ledger, { key: KEYS[0], name: `«look ${round}»` })
          : undefined);
      if (wrong === undefined) continue;
      const evidence = conduct === "honest" ? `\n${keepEvidence(directory)}` : "";
      throw new Violation(
        `kills, slice ${slice.number}, seed ${slice.seed}, after kill ${round} (${moments.join("; ")}): ${wrong}` +
          `\n${tellLives(writers)}${evidence}`,
      );
    }
  } finally {
    await Promise.all(waiting.map(async (writer) => await writer.kill()));
    removeOwnDirectory(parent);
  }
}

/** One that answers early has to be alone: it says what seq its writes will have. */
function startWriters(round: number, conduct: Orders["conduct"]): WriterProcess[] {
  const count = conduct === "honest" ? (AT_ONCE[(round - 1) % AT_ONCE.length] ?? 1) : 1;
  return Array.from({ length: count }, () => new WriterProcess());
}

interface Moment {
  readonly words: string;
  readonly come: (writer: WriterProcess) => Promise<unknown>;
}

/** Counted from its orders, so that opening is hit too, or by what it has told: before an answer, or after it. */
function momentOf(random: SeededRandom, conduct: Orders["conduct"]): Moment {
  const milliseconds = random.below(150);
  const soon = random.below(8);
  const count = 1 + random.below(150);
  const moments: readonly [Moment, Moment, Moment, Moment] = [
    {
      words: `after ${count} answers`,
      come: async (writer) => await writer.toldOf("done", count, LONGEST_LIFE),
    },
    {
      words: `when it tried for the ${count}th time`,
      come: async (writer) => await writer.toldOf("trying", count, LONGEST_LIFE),
    },
    {
      words: `${soon} ms after it had opened`,
      come: async (writer) => {
        await writer.toldOf("opened", 1, LONGEST_LIFE);
        await sleep(soon);
      },
    },
    { words: `${milliseconds} ms after its orders`, come: async () => await sleep(milliseconds) },
  ];
  return moments[conduct === "honest" ? random.below(moments.length) : 0] ?? moments[0];
}
