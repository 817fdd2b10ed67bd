/** Session and instance ids: 48 bits of time, 80 bits of chance, in Crockford's base 32; they sort by time. */

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const PATTERN = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export const RANDOM_BYTES_OF_AN_ID = 10;

declare const VALID: unique symbol;

/**
 * The id of a session or an instance, made here or validated where it was decoded. Only such a string becomes part of a
 * path: what a file says may be anything.
 */
export type Id = string & { readonly [VALID]: "id" };

export function makeId(now: number, random: Uint8Array): Id {
  let bits = BigInt(Math.max(0, Math.trunc(now))) & 0xffff_ffff_ffffn;
  for (const byte of random.subarray(0, RANDOM_BYTES_OF_AN_ID)) bits = (bits << 8n) | BigInt(byte);
  let text = "";
  for (let digit = 0; digit < 26; digit++) {
    text = (ALPHABET[Number(bits & 31n)] ?? "") + text;
    bits >>= 5n;
  }
  return text as Id;
}

export function isId(value: unknown): value is Id {
  return typeof value === "string" && PATTERN.test(value);
}

/** Of a text that must be one: a RangeError is a mistake of the program. */
export function toId(text: string): Id {
  if (isId(text)) return text;
  throw new RangeError(`${JSON.stringify(text)} is no id`);
}
