/** A machine on which a living instance, the victim, is taken for dead: the proof of that is wrong for one adopter or two. */

import type { Store } from "@longhand/store";
import { SimulatedMachine, type Host } from "@longhand/store/testing";
import { Violation } from "../part.ts";
import { interruptedHost, type HostCall } from "./interrupted-host.ts";
import { mistakenAbout } from "./mistaken-host.ts";
import type { Stop } from "./stop.ts";
import { DIRECTORY, openQuietly, ToldWrites } from "./told-writes.ts";

/** Power losses that are looked at. */
const STATES = 8;

export interface VictimOptions {
  /** Where its second append stops. */
  readonly stop: Stop;
  /** It is stopped for good when it should land that. */
  readonly neverLands: boolean;
  /** What is wrong with its host. */
  readonly spoil: (host: Host) => Host;
}

export class RobbedMachine {
  readonly machine: SimulatedMachine;
  readonly told: ToldWrites;
  /** The victim's. */
  readonly instance: string;
  readonly #victim: Store;
  readonly #second: { hasBegun: boolean };

  private constructor(
    machine: SimulatedMachine,
    told: ToldWrites,
    victim: Store,
    instance: string,
    second: { hasBegun: boolean },
  ) {
    this.machine = machine;
    this.told = told;
    this.#victim = victim;
    this.instance = instance;
    this.#second = second;
  }

  /** The victim has the store open and was answered for one append. */
  static async begin({ stop, neverLands, spoil }: VictimOptions): Promise<RobbedMachine> {
    const machine = new SimulatedMachine(1);
    const second = { hasBegun: false };
    const before = async (call: HostCall): Promise<void> => {
      if (!second.hasBegun) return;
      // The file may be known by the temporary name under which it was created.
      if (neverLands && call.operation === "write" && !/\/\.longhand\/(?!new\/)/.test(call.path))
        await new Promise<never>(() => undefined);
      await stop.pass(call);
    };
    const victim = await openQuietly(interruptedHost(spoil(machine.startProcess()), before));
    const told = new ToldWrites();
    // The first change begins the instance.
    await told.append(victim, "first");
    const [journal] = await machine.startProcess().files.readDirectory(`${DIRECTORY}/.longhand/journal`);
    if (journal === undefined) throw new Error("the victim has no journal");
    const instance = journal.slice(0, journal.indexOf("."));
    return new RobbedMachine(machine, told, victim, instance, second);
  }

  /** The append in which the victim is stopped. */
  async appendLate(): Promise<void> {
    this.#second.hasBegun = true;
    await this.told.append(this.#victim, "late");
  }

  /** `before` is told of each call. */
  async openAdopter(process: Host, before: (call: HostCall) => Promise<void>): Promise<Store> {
    return await openQuietly(interruptedHost(mistakenAbout(this.instance, process), before));
  }

  /** Ends of moments that were judged before are in `judged`. */
  async judge(judged: Set<string>, tell: () => string): Promise<void> {
    const after = this.machine.capture();
    for (const state of [after.afterKill(), ...after.afterPowerLoss({ limit: STATES })]) {
      const end = `${state.fingerprint()} ${this.told.answers()}`;
      if (judged.has(end)) continue;
      judged.add(end);
      const wrong = await this.told.judge(state);
      if (wrong !== undefined)
        throw new Violation(`${wrong}\nA living instance is taken for dead. ${tell()}\n${state.describe()}`);
    }
  }
}
