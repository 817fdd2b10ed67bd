import process from "node:process";

/** Set where it only matters whether there is a violation. */
export const NO_SHRINKING = "LONGHAND_PROOF_NO_SHRINKING";

/** How often a part may try to make smaller what it has found. */
export function shrinkingTries(most: number): number {
  return process.env[NO_SHRINKING] === undefined ? most : 0;
}
