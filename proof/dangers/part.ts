/**
 * Moments that chance hardly ever meets, gone through one by one: each was once a way to lose something, in this store or
 * on paper. Nothing is left to chance, so a long run has nothing to add.
 */

import type { Host } from "@longhand/store/testing";
import type { Part } from "../part.ts";
import { searchCheckpoints } from "./checkpoints.ts";
import { runConformance } from "./conformance.ts";
import { searchHalfLandings } from "./half-landed.ts";
import { searchRobberies } from "./taken-for-dead.ts";
import { searchTornTails } from "./torn-tails.ts";
import { searchTwoAdopters } from "./two-adopters.ts";
import { searchLines } from "./waiting-line.ts";

/** Each answers with how many moments it went through. */
const SEARCHES: readonly (() => Promise<number>)[] = [
  async () => await searchRobberies(true),
  async () => await searchRobberies(false),
  searchTwoAdopters,
  searchHalfLandings,
  searchTornTails,
  searchLines,
  runConformance,
  searchCheckpoints,
];

export const dangers: Part = {
  name: "dangers",
  title: "Known dangers",
  counts: { moments: 2000 },
  gateSlices: SEARCHES.length,
  weight: 0,
  obstacle: () => Promise.resolve(undefined),
  run: async ({ number }, findings) => {
    const search = SEARCHES[number];
    if (search === undefined) throw new Error(`there is no slice ${number}`);
    findings.count("moments", await search());
  },
  control: async () => {
    await searchRobberies(false, withoutFence);
  },
};

/** Does not see that it was taken over. */
function withoutFence(host: Host): Host {
  const known = new Map<string, Awaited<ReturnType<Host["files"]["stat"]>>>();
  const { files } = host;
  return {
    files: {
      open: async (path, mode) => await files.open(path, mode),
      makeDirectory: async (path) => await files.makeDirectory(path),
      readDirectory: async (path) => await files.readDirectory(path),
      syncDirectory: async (path) => await files.syncDirectory(path),
      rename: async (from, to) => await files.rename(from, to),
      link: async (from, to) => await files.link(from, to),
      unlink: async (path) => await files.unlink(path),
      removeDirectory: async (path) => await files.removeDirectory(path),
      stat: async (path) => {
        if (path.endsWith(".fence")) return undefined;
        if (!path.endsWith(".journal")) return await files.stat(path);
        if (!known.has(path)) known.set(path, await files.stat(path));
        return known.get(path);
      },
      resolve: async (path) => await files.resolve(path),
    },
    processes: host.processes,
    user: host.user,
    now: () => host.now(),
    randomBytes: (length) => host.randomBytes(length),
    wait: async (milliseconds, background) => await host.wait(milliseconds, background),
  };
}
