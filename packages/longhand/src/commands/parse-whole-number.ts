/** A number on the command line. */

import { InvalidArgumentError } from "commander";

export function parseWholeNumber(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError("It must be a whole number from 0 on.");
}
