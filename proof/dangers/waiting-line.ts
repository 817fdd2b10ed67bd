/**
 * Who stands in line for a session has it in the order of the line, however often the others look. The holder, which has
 * given it up and has its file open no more, stands in line like the others and goes on behind them.
 */

import { jsonlBackend, openStore, type Store } from "@longhand/store";
import { SimulatedMachine, type Host } from "@longhand/store/testing";
import { beginInstance } from "../begin-instance.ts";
import { Violation } from "../part.ts";
import { DIRECTORY, KEY, messagesIn } from "./told-writes.ts";

/** Milliseconds between one who comes and the next; those who wait look again every 20. */
const APART = [1, 3, 7, 11, 19, 23, 37, 61] as const;
const WAITING = 4;

type Spoil = (host: Host, number: number) => Host;

/** `spoil`: what is wrong with the host of the one who comes as number `number`. */
export async function searchLines(spoil: Spoil = (host) => host): Promise<number> {
  for (const apart of APART)
    for (const haveBegun of [true, false]) await standInLine(apart, haveBegun, spoil);
  return 2 * APART.length;
}

/** `haveBegun`: those who wait were instances before; else they become some when they come. */
async function standInLine(apart: number, haveBegun: boolean, spoil: Spoil): Promise<void> {
  const machine = new SimulatedMachine(1);
  const open = async (number: number): Promise<Store> =>
    await openStore(jsonlBackend(DIRECTORY, { host: spoil(machine.startProcess(), number) }), {});
  const clock = machine.startProcess();
  const holder = await open(0);
  await holder.session(KEY).append({ role: "user", content: "first" });
  const lock = await holder.session(KEY).lock();
  const waiting: Promise<number>[] = [];
  for (let number = 0; number < WAITING; number++) {
    const store = await open(number + 1);
    if (haveBegun) await beginInstance(machine, store, DIRECTORY);
    waiting.push(
      store
        .session(KEY)
        .append({ role: "user", content: `${number}` })
        .then(({ seq }) => seq),
    );
    await clock.wait(apart);
  }
  await lock[Symbol.asyncDispose]();
  const seqs = await Promise.all(waiting);
  const story = `${WAITING} stores stood in line for a session that was locked, each ${apart} ms after the one before it; `;
  if (!seqs.every((seq, index) => seq === index + 2))
    throw new Violation(`${story}they had their turns in another order: ${seqs.join(", ")}`);
  const { seq } = await holder.session(KEY).append({ role: "user", content: "last" });
  const last = WAITING + 2;
  const found = (await messagesIn(await open(WAITING + 1))).map(({ content }) => content);
  if (seq !== last || found.join() !== ["first", "0", "1", "2", "3", "last"].join())
    throw new Violation(
      `${story}the first holder then wrote number ${seq}, not ${last}, and there is: ${found.join(", ")}`,
    );
}
