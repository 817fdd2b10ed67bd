/** The parts of the proof, in the order in which they are told. */

import { bitFlips } from "./bit-flips/part.ts";
import { crashImages } from "./crash-images/part.ts";
import { dangers } from "./dangers/part.ts";
import { diskFull } from "./disk-full/part.ts";
import { edits } from "./edits/part.ts";
import { environment } from "./environment/part.ts";
import { faultSweep } from "./fault-sweep/part.ts";
import { fuzz } from "./fuzz/part.ts";
import { interleaved } from "./interleaved/part.ts";
import { kills } from "./kills/part.ts";
import { model } from "./model/part.ts";
import { mutants } from "./mutants/part.ts";
import type { Part } from "./part.ts";
import { powerCuts } from "./power-cuts/part.ts";
import { readers } from "./readers/part.ts";

export const PARTS: readonly Part[] = [
  model,
  crashImages,
  faultSweep,
  interleaved,
  readers,
  dangers,
  environment,
  kills,
  powerCuts,
  diskFull,
  bitFlips,
  edits,
  fuzz,
  mutants,
];
