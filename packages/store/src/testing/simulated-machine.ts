/**
 * A computer in memory, on which a store can be run, killed and cut off from power at every step. Everything comes out
 * the same for the same seed. docs/testing-hosts.md shows how it is used.
 */

import { imageOfState, tellState } from "./crash-state.ts";
import { crashStates } from "./crash-states.ts";
import { CrashableHost } from "./crashable-host.ts";
import { describeDisk } from "./describe-disk.ts";
import { fingerprintDisk } from "./fingerprint-disk.ts";
import { SimulatedDisk } from "./simulated-disk.ts";
import { SimulatedKernel, type KernelImage, type MachineOperation } from "./simulated-kernel.ts";

const FIRST_CLOCK = Date.UTC(2026, 0, 1);
const FIRST_PID = 100;
const DEFAULT_LIMIT = 1000;

interface MachineImage extends KernelImage {
  /** What happened to it, for failure messages. */
  readonly story: () => string;
}

export class SimulatedMachine {
  readonly #kernel: SimulatedKernel;
  readonly #story: () => string;

  /** An empty disk (`/`, and nothing in it), no process; or what a capture has kept. */
  constructor(from: number | MachineImage = 1) {
    const image = typeof from === "number" ? firstBoot(from) : from;
    this.#kernel = new SimulatedKernel(image);
    this.#story = image.story;
  }

  /** All processes of a machine share its disk, its clock and its sockets. */
  startProcess(): CrashableHost {
    return new CrashableHost(this.#kernel);
  }

  /** Called after each file operation of any process, before the process learns of it; failed ones count as well. */
  onOperation(watch: (operation: MachineOperation) => void): void {
    this.#kernel.watchers.push(watch);
  }

  setClock(milliseconds: number): void {
    this.#kernel.clock = milliseconds;
  }

  /** So much time passes for everybody. */
  pass(milliseconds: number): void {
    this.#kernel.pass(milliseconds);
  }

  /** Costs next to nothing, and nothing that happens later shows in it. */
  capture(): Capture {
    return new Capture({ ...this.#kernel.image(), story: this.#story });
  }

  /** 64 bits: the same for disks on which the same is seen, in all but times and what `isLeftOut` says of a path. */
  fingerprint(isLeftOut?: (path: string) => boolean): bigint {
    return fingerprintDisk(this.#kernel.disk, isLeftOut);
  }

  /** What happened, and what is on the disk: for failure messages. */
  describe(): string {
    return `${this.#story()}\n${describeDisk(this.#kernel.disk.image())}`;
  }
}

export interface PowerLossOptions {
  /** At most so many different states. @default 1000 */
  readonly limit?: number;
  /** Picks the states where there are more than `limit`. @default 1 */
  readonly seed?: number;
}

export interface PowerLossStates extends Iterable<SimulatedMachine> {
  /** How many different states there are to iterate over. */
  readonly count: number;
  /** These are all there can be, not a sample. */
  readonly exhaustive: boolean;
}

/** A moment of a machine's life, from which it can go on in many ways. */
export class Capture {
  readonly #image: MachineImage;

  constructor(image: MachineImage) {
    this.#image = image;
  }

  /** All processes are dead. What they wrote is seen, but no more durable than before. */
  afterKill(): SimulatedMachine {
    return new SimulatedMachine({ ...this.#image, story: () => "all processes killed" });
  }

  /** The machine, started again, with each state in which its disk may be found. */
  afterPowerLoss({ limit = DEFAULT_LIMIT, seed = 1 }: PowerLossOptions = {}): PowerLossStates {
    const { disk, boot } = this.#image;
    const { states, exhaustive } = crashStates(disk, limit, seed);
    const restarted = { ...this.#image, boot: boot + 1, nextPid: FIRST_PID };
    return {
      count: states.length,
      exhaustive,
      *[Symbol.iterator]() {
        for (const state of states) {
          yield new SimulatedMachine({
            ...restarted,
            disk: imageOfState(disk, state),
            story: () => tellState(disk, state),
          });
        }
      },
    };
  }
}

function firstBoot(seed: number): MachineImage {
  const disk = new SimulatedDisk().image();
  return { disk, clock: FIRST_CLOCK, seed, boot: 1, nextPid: FIRST_PID, story: () => "a new machine" };
}
