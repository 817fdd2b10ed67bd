/** Bytes changed without knowing what they mean. */

import type { SeededRandom } from "@longhand/store/testing";

type Mutation = (bytes: Buffer, random: SeededRandom, donor: Buffer) => Buffer;

const LONGEST = 96;

/** Some of the bytes, seldom more than a line. */
function range(bytes: Buffer, random: SeededRandom): readonly [number, number] {
  const from = random.below(bytes.length + 1);
  return [from, Math.min(bytes.length, from + 1 + random.below(LONGEST))];
}

function replace(bytes: Buffer, from: number, to: number, by: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, from), by, bytes.subarray(to)]);
}

const flip: Mutation = (bytes, random) => {
  const changed = Buffer.from(bytes);
  for (let left = 1 + random.below(8); left > 0; left--) {
    const at = random.below(changed.length);
    changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
  }
  return changed;
};

const overwrite: Mutation = (bytes, random) => {
  const [from, to] = range(bytes, random);
  return replace(bytes, from, to, Buffer.from(random.bytes(to - from)));
};

const insert: Mutation = (bytes, random) => {
  const at = random.below(bytes.length + 1);
  return replace(bytes, at, at, Buffer.from(random.bytes(1 + random.below(LONGEST))));
};

const remove: Mutation = (bytes, random) => {
  const [from, to] = range(bytes, random);
  return replace(bytes, from, to, Buffer.alloc(0));
};

const repeat: Mutation = (bytes, random) => {
  const [from, to] = range(bytes, random);
  return replace(bytes, to, to, bytes.subarray(from, to));
};

const swap: Mutation = (bytes, random) => {
  const [from, to] = range(bytes, random);
  const at = random.below(from + 1);
  const moved = bytes.subarray(from, to);
  return replace(replace(bytes, from, to, Buffer.alloc(0)), at, at, moved);
};

const splice: Mutation = (bytes, random, donor) => {
  const [from, to] = range(bytes, random);
  const start = random.below(donor.length + 1);
  return replace(bytes, from, to, donor.subarray(start, start + random.below(4 * LONGEST)));
};

const cross: Mutation = (bytes, random, donor) =>
  Buffer.concat([
    bytes.subarray(0, random.below(bytes.length + 1)),
    donor.subarray(random.below(donor.length + 1)),
  ]);

const cut: Mutation = (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1));

const nuls: Mutation = (bytes, random) => {
  const [from] = range(bytes, random);
  return Buffer.from(bytes).fill(0, from, Math.min(bytes.length, from + 512));
};

const MUTATIONS: readonly Mutation[] = [
  ...[flip, overwrite, insert, remove, repeat, swap, splice, cross, cut, nuls],
];

export function mutateRaw(bytes: Buffer, random: SeededRandom, donor: Buffer): Buffer {
  let changed = bytes;
  for (let left = 1 + random.below(3); left > 0; left--) {
    const mutation = MUTATIONS[random.below(MUTATIONS.length)] ?? flip;
    if (changed.length > 0) changed = mutation(changed, random, donor);
  }
  return changed;
}
