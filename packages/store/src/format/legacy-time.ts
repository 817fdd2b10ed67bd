/** Times as older programs write them: RFC 3339 with any offset and up to nine digits after the second. */

/** The zero time of those programs: how they say that they do not know. */
export const UNKNOWN_TIME = "0001-01-01T00:00:00.000Z";

const RFC3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;
const MILLISECONDS_AND_ZONE = ".000Z".length;

/** The same moment in UTC, so that times sort as text; no digit is lost. `undefined`: no time, or an unknown one. */
export function fromLegacyTime(value: unknown): string | undefined {
  const match = typeof value === "string" ? RFC3339.exec(value) : null;
  if (match === null) return undefined;
  const [, second = "", fraction = "", zone = ""] = match;
  const moment = Date.parse(second + zone);
  if (Number.isNaN(moment)) return undefined;
  const utc = new Date(moment).toISOString().slice(0, -MILLISECONDS_AND_ZONE);
  const time = `${utc}.${fraction.padEnd(3, "0")}Z`;
  return time === UNKNOWN_TIME ? undefined : time;
}
