import { InvalidArgumentError } from "commander";

/** The value of an option. An empty path would be the current directory, which nobody meant: a variable was not set. */
export function parseNotEmpty(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("It must not be empty.");
}
