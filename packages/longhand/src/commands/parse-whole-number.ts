/** A number on the command line. */

import { InvalidArgumentError } from "commander";

export function parseWholeNumber(text: string): number {
  return wholeNumberFrom(0, text);
}

export function parseCount(text: string): number {
  return wholeNumberFrom(1, text);
}

function wholeNumberFrom(least: number, text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= least) return number;
  throw new InvalidArgumentError(`It must be a whole number from ${least} on.`);
}
