import { fromLegacyTime } from "../format/legacy-time.ts";

/** The zero time of older programs, in any zone. */
const UNKNOWN = /^000[01]-/;

/** The moment in UTC with milliseconds, as records have it. `undefined`: no time, or an unknown one. */
export function fromForeignTime(value: unknown): string | undefined {
  const time = fromLegacyTime(value);
  return time === undefined || UNKNOWN.test(time) ? undefined : `${time.slice(0, 23)}Z`;
}

export function fromFileTime(milliseconds: number): string {
  return new Date(Math.trunc(milliseconds)).toISOString();
}
