/**
 * A program that is there to be killed: it writes to several sessions at once, without end, and tells over its standard
 * output what it tries and what it was answered, each line with one synchronous write, so that what it has told has left
 * it. It begins when it gets its orders on its standard input, and ends when that ends: it does not outlive who started
 * it.
 */

import { writeSync } from "node:fs";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { createInterface } from "node:readline";
import { jsonlBackend, openStore, type JsonlOptions } from "@longhand/store";
import { SeededRandom } from "@longhand/store/testing";
import { Attempts } from "./attempts.ts";
import { hostThatBelievesShortWrites, hostWithoutSync } from "./careless-hosts.ts";
import { Lane } from "./lane.ts";
import type { Told } from "./operation.ts";
import type { Orders } from "./orders.ts";

/** Longer than a slice: with so many writers at work somebody may wait long, and that is no fault. */
const LOCK_WAIT = 120_000;

function tell(told: Told): void {
  writeSync(1, `${JSON.stringify(told)}\n`);
}

async function write(orders: Orders): Promise<void> {
  const { directory, life, seed, keys, again, segmentBytes, journalBytes, conduct } = orders;
  const options = { segmentBytes, journalBytes, lockWait: LOCK_WAIT, ...hostFor(conduct) };
  const store = await openStore(jsonlBackend(directory, options), {
    onError: (error) => {
      if (error.code !== "DISK_FULL") throw error;
    },
  });
  tell({ kind: "opened" });
  const attempts = new Attempts(store, tell);
  await Promise.all(again.map(async (operation) => await attempts.make(operation)));
  await Promise.all(
    keys.map(async (key, index) => {
      const random = new SeededRandom(seed + index * 7919);
      const { longText, hugeText } = orders;
      const lane = new Lane({ key, name: `${life}.${index}`, random, longText, hugeText }, attempts);
      if (conduct === "answers-early") {
        let seq = (await store.session(key).state())?.seq ?? 0;
        for (;;) seq = await lane.boast(seq);
      }
      // After a failure slowly: the disk is full, and stays so for a while.
      for (;;) if ((await lane.step()).length > 0) await sleep(2);
    }),
  );
}

function hostFor(conduct: Orders["conduct"]): Pick<JsonlOptions, "host"> {
  switch (conduct) {
    case "honest":
    case "answers-early":
      return {};
    case "never-syncs":
      return { host: hostWithoutSync() };
    case "believes-short-writes":
      return { host: hostThatBelievesShortWrites() };
  }
}

const input = createInterface({ input: process.stdin });
input.once("line", (line) => void write(JSON.parse(line) as Orders));
input.once("close", () => process.exit());
tell({ kind: "ready" });
