import type { PowerLossOptions, SimulatedMachine } from "../../../src/testing/simulated-machine.ts";
import { readDisk, type DiskContents } from "./read-disk.ts";

/** The disk in each state that a power loss at this moment may leave. */
export async function readStates(
  machine: SimulatedMachine,
  options?: PowerLossOptions,
): Promise<DiskContents[]> {
  const contents: DiskContents[] = [];
  for (const state of machine.capture().afterPowerLoss(options)) contents.push(await readDisk(state));
  return contents;
}
