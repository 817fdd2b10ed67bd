/** The few statistics of the tables. */

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Of at least one value. With an even number, the median is the mean of the middle two. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const [min, max] = [sorted.at(0), sorted.at(-1)];
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (min === undefined || max === undefined || upper === undefined || lower === undefined)
    throw new Error("a spread needs at least one value");
  return { median: (lower + upper) / 2, min, max };
}

/** The nearest rank: the smallest value that at least this share of all values does not exceed. */
export function percentile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new Error("a percentile needs at least one value");
  return value;
}

/**
 * How many times as fast ours is as theirs, paired by repetition: two neighbours in time share the noise of the
 * machine. Above 1 we are faster, whatever the unit.
 */
export function ratioOf(
  ours: readonly number[],
  theirs: readonly number[],
  better: "higher" | "lower",
): Spread | undefined {
  const pairs = Math.min(ours.length, theirs.length);
  if (pairs === 0) return undefined;
  const ratios = Array.from({ length: pairs }, (_, index) => {
    const [our, their] = [ours[index] ?? NaN, theirs[index] ?? NaN];
    return better === "higher" ? our / their : their / our;
  });
  return spreadOf(ratios);
}

/** The slowest against the fastest of some medians: 1 is perfectly flat. */
export function slowestToFastest(medians: readonly number[]): number {
  const { min, max } = spreadOf(medians);
  return max / min;
}
