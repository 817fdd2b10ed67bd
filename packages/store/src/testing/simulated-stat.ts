import type { FileStat } from "../host/host.ts";
import type { SimulatedDisk } from "./simulated-disk.ts";

const DEVICE = 1;
/** Everything belongs to one user, whoever runs the test. */
export const SIMULATED_USER = 1000;

export function simulatedStat(disk: SimulatedDisk, number: number): FileStat {
  const { kind, modified, mode, links } = disk.inode(number);
  return {
    kind: kind === "socket" ? "other" : kind,
    size: kind === "file" ? disk.bytesOf(number).size : 0,
    modified,
    // When a name changed is not kept: nothing that must survive a crash depends on it.
    changed: modified,
    mode,
    owner: SIMULATED_USER,
    device: DEVICE,
    inode: number,
    links,
  };
}
