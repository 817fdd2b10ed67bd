/** One file, mutated in one of three ways: its bytes, its lines, or its values with checksums that fit. */

import type { SeededRandom } from "@longhand/store/testing";
import type { SampleFile } from "../damage/sample-store.ts";
import { forge } from "./forged-mutations.ts";
import { mutateLines } from "./line-mutations.ts";
import { mutateRaw } from "./raw-mutations.ts";

export interface MutatedFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly owners: ReadonlySet<string>;
}

export function mutateFile(
  file: SampleFile,
  donor: SampleFile,
  random: SeededRandom,
  isForged: boolean,
): MutatedFile {
  const { path, bytes, owners } = file;
  return { path, owners, bytes: mutated(file, bytes, donor.bytes, random, isForged) };
}

function mutated(
  file: SampleFile,
  bytes: Buffer,
  donor: Buffer,
  random: SeededRandom,
  isForged: boolean,
): Buffer {
  if (isForged) return forge({ path: file.path, bytes, salt: saltOf(file) }, random);
  const isBinary = file.path.endsWith(".gz");
  return isBinary || random.below(2) === 0
    ? mutateRaw(bytes, random, donor)
    : mutateLines(bytes, random, donor);
}

/** The id in its own header; of a compressed segment that of its directory, which a fork shares with its parent. */
function saltOf({ path, bytes }: SampleFile): string {
  const inHeader = /"id":"([0-9A-Z]{26})"/.exec(bytes.toString("latin1", 0, 400))?.[1];
  return inHeader ?? /segments\/([0-9A-Z]{26})\//.exec(path)?.[1] ?? "";
}
