import { tryParseJson } from "../format/json.ts";
import { numbersSurvive } from "../format/numbers-survive.ts";
import { quoteLongNumbers } from "./quote-long-numbers.ts";

/** Strict: a lenient decoder would put replacement characters where there were a user's words. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** `undefined`: not JSON. No digit of a number is lost. */
export function parseForeignJson(text: string): unknown {
  return tryParseJson(numbersSurvive(text) ? text : quoteLongNumbers(text));
}
