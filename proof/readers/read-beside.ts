/** One reading beside one mover, in given turns. */

import { inspect } from "node:util";
import { Scheduler, type Host } from "@longhand/store/testing";
import { beginInstance } from "../begin-instance.ts";
import type { Mover } from "./movers.ts";
import type { Reader } from "./readers.ts";
import { DIRECTORY, openSceneStore, type Scene } from "./scene.ts";
import { IN_TURNS, Turns } from "./turns.ts";

export interface BesideOptions {
  readonly scene: Scene;
  readonly mover: Mover;
  readonly reader: Reader;
  /** Calls of the reader, of the mover, of the reader … */
  readonly turns: readonly number[];
  /** What the reader's world is like: for controls. */
  readonly spoil?: (host: Host) => Host;
}

export interface Beside {
  readonly wrong: string | undefined;
  readonly readerCalls: number;
  /** How many calls the mover had made when each of its moves was done. */
  readonly moveEnds: readonly number[];
}

const READER = "reader";
const MOVER = "mover";

export async function readBeside({ scene, mover, reader, turns, spoil }: BesideOptions): Promise<Beside> {
  const machine = scene.capture.afterKill();
  const choices = new Turns();
  const scheduler = new Scheduler(machine, choices, IN_TURNS);
  const problems: string[] = [];
  const first = scheduler.startProcess(READER, spoil);
  const second = scheduler.startProcess(MOVER);
  const readingStore = await scheduler.run(openSceneStore(first.host, true, problems));
  const movingStore = await scheduler.run(openSceneStore(second.host, false, problems));
  await scheduler.run(beginInstance(machine, movingStore, DIRECTORY));
  const from = scheduler.events.length;
  const callsOf = (name: string): number =>
    scheduler.events.slice(from).filter(({ process }) => process === name).length;
  const moveEnds: number[] = [];
  const done = new AbortController();
  const moving = async (): Promise<void> => {
    for (const move of mover.moves) {
      await move(movingStore);
      moveEnds.push(callsOf(MOVER));
    }
    done.abort();
  };
  let readerCalls = 0;
  const reading = async (): Promise<string | undefined> => {
    const wrong = await reader({ store: readingStore, scene, mover, signal: done.signal });
    readerCalls = callsOf(READER);
    return wrong;
  };
  choices.begin(turns);
  try {
    const [wrong] = await scheduler.run(Promise.all([reading(), moving()]));
    return { wrong: wrong ?? problems[0], readerCalls, moveEnds };
  } catch (error) {
    return { wrong: `it fails: ${inspect(error)}`, readerCalls, moveEnds };
  }
}
