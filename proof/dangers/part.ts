/**
 * Moments that chance hardly ever meets, gone through one by one: each was once a way to lose something, in this store or
 * on paper. Nothing is left to chance, so a long run has nothing to add.
 */

import { withRetriedSync } from "../fault-sweep/retried-sync.ts";
import { Violation, type Part } from "../part.ts";
import { judgeForgedCheckpoint, searchCheckpoints } from "./checkpoints.ts";
import { runConformance } from "./conformance.ts";
import { searchDamagedBlocks, withoutWhatIsBehind } from "./damaged-blocks.ts";
import { judgeForgedOwner, searchExchangedFiles } from "./exchanged-files.ts";
import { searchFailedSyncs } from "./failed-syncs.ts";
import { searchHalfApplys } from "./half-landed.ts";
import { followingNames, searchHostileNames } from "./hostile-names.ts";
import { searchLateChanges } from "./late-changes.ts";
import { searchNotBegun, withoutOthersJournals } from "./not-begun.ts";
import { searchPutBacksBeforeSeals, withoutCompressed } from "./put-back-before-seal.ts";
import { searchPutBacks } from "./put-back.ts";
import { searchRefusedBlocks } from "./refused-blocks.ts";
import { searchSealedMeanwhile } from "./sealed-meanwhile.ts";
import { searchSecondFiles, withoutSeeing } from "./second-files.ts";
import {
  believingShortWrites,
  withClockBehind,
  withoutDamagedCopies,
  withoutFence,
  withoutGate,
  withoutNewSegments,
  withoutRenames,
} from "./spoiled-hosts.ts";
import { searchRobberies } from "./taken-for-dead.ts";
import { searchTornTails } from "./torn-tails.ts";
import { searchTwoAdopters } from "./two-adopters.ts";
import { searchLines } from "./waiting-line.ts";

interface Danger {
  /** Answers with how many moments it went through. */
  readonly search: () => Promise<number>;
  /** Fewer mean that it no longer searches what it did. */
  readonly atLeast: number;
  /** The same search, or its judge alone, where it must find something. */
  readonly control: () => Promise<unknown>;
}

const robbery = (adopterIsKilled: boolean): Danger => ({
  search: async () => await searchRobberies(adopterIsKilled),
  atLeast: 1000,
  control: async () => await searchRobberies(adopterIsKilled, withoutFence),
});

export const DANGERS: Readonly<Record<string, Danger>> = {
  "taken for dead, by one who is killed": robbery(true),
  "taken for dead": robbery(false),
  "two adopters": {
    search: async () => await searchTwoAdopters(),
    atLeast: 140,
    control: async () => await searchTwoAdopters(withoutFence),
  },
  "taken for dead while it changes names": {
    search: async () => await searchLateChanges(),
    atLeast: 680,
    control: async () => await searchLateChanges(withoutGate),
  },
  "half a landing": {
    search: async () => await searchHalfApplys(),
    atLeast: 300,
    control: async () => await searchHalfApplys("the end first"),
  },
  "torn tails": {
    search: async () => await searchTornTails(),
    atLeast: 300,
    control: async () => await searchTornTails(withoutDamagedCopies),
  },
  "the waiting line": {
    search: async () => await searchLines(),
    atLeast: 16,
    control: async () => await searchLines((host, number) => withClockBehind(host, number * 10_000)),
  },
  conformance: {
    search: async () => await runConformance(),
    atLeast: 250,
    control: async () => await runConformance(withoutRenames),
  },
  checkpoints: { search: searchCheckpoints, atLeast: 350, control: judgeForgedCheckpoint },
  "refused blocks": {
    search: async () => await searchRefusedBlocks(),
    atLeast: 1200,
    control: async () => await searchRefusedBlocks(believingShortWrites),
  },
  "a failed sync of the journal": {
    search: async () => await searchFailedSyncs("journal"),
    atLeast: 800,
    control: async () => await searchFailedSyncs("journal", withRetriedSync),
  },
  "a failed sync of a session's file": {
    search: async () => await searchFailedSyncs("session"),
    atLeast: 250,
    control: async () => await searchFailedSyncs("session", withRetriedSync),
  },
  "names that are paths": {
    search: async () => await searchHostileNames(),
    atLeast: 1000,
    control: async () => await searchHostileNames(followingNames),
  },
  "a file sealed while it is read": {
    search: async () => await searchSealedMeanwhile(),
    atLeast: 850,
    control: async () => await searchSealedMeanwhile(withoutNewSegments),
  },
  "a version put back": {
    search: async () => await searchPutBacks(),
    atLeast: 1300,
    control: async () => await searchPutBacks(withoutDamagedCopies),
  },
  "a version put back before a seal": {
    search: async () => await searchPutBacksBeforeSeals(),
    atLeast: 60,
    control: async () => await searchPutBacksBeforeSeals(withoutCompressed),
  },
  "two files with one id": {
    search: async () => await searchSecondFiles(),
    atLeast: 400,
    control: async () => await searchSecondFiles(withoutSeeing),
  },
  "damaged blocks": {
    search: async () => await searchDamagedBlocks(),
    atLeast: 1300,
    control: async () => await searchDamagedBlocks(withoutWhatIsBehind),
  },
  "a store that has not written yet": {
    search: async () => await searchNotBegun(),
    atLeast: 600,
    control: async () => await searchNotBegun(withoutOthersJournals),
  },
  "exchanged files": { search: searchExchangedFiles, atLeast: 90, control: judgeForgedOwner },
};

export const dangers: Part = {
  name: "dangers",
  title: "Known dangers",
  counts: { moments: 11_000 },
  gateSlices: Object.keys(DANGERS).length,
  weight: 0,
  obstacle: () => Promise.resolve(undefined),
  run: async ({ number }, findings) => {
    const [name, danger] = Object.entries(DANGERS)[number] ?? [];
    if (danger === undefined) throw new Error(`there is no slice ${number}`);
    const moments = await danger.search();
    if (moments < danger.atLeast) throw new Error(`"${name}" went through ${moments} moments only`);
    findings.count("moments", moments);
  },
  control: async (findings) => {
    const found: string[] = [];
    for (const [name, { control }] of Object.entries(DANGERS)) {
      const story = await control().then(() => undefined, storyOf);
      if (story !== undefined) found.push(story);
      else findings.note(`dangers: the control of "${name}" finds nothing`);
    }
    // Each search must find what was spoiled for it: with one that does not, the part proves nothing.
    if (found.length === Object.keys(DANGERS).length) throw new Violation(found.join("\n\n"));
  },
};

function storyOf(error: unknown): string {
  if (error instanceof Violation) return error.message;
  throw error;
}
