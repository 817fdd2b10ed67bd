/** A point in time on the command line: a day, a day and time, or how long ago. */

import { InvalidArgumentError } from "commander";

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export const MOMENT_HELP =
  "2026-11-15 (its first moment here), 2026-11-15T12:00:00Z, or 30d ago (m, h, d, w)";

export function parseMoment(text: string, now: number = Date.now()): Date {
  const moment = readMoment(text, now);
  if (moment !== undefined && !Number.isNaN(moment.getTime())) return moment;
  throw new InvalidArgumentError(
    "It must be a date such as 2026-11-15, a time, or an age such as 30d or 12h.",
  );
}

function readMoment(text: string, now: number): Date | undefined {
  const age = /^(\d{1,6})([mhdw])$/.exec(text);
  if (age !== null) return new Date(now - Number(age[1]) * UNITS[age[2] as keyof typeof UNITS]);
  const day = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (day !== null) return localDay(Number(day[1]), Number(day[2]), Number(day[3]));
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? new Date(text) : undefined;
}

/** `undefined`: there is no such day; the 31st of February would otherwise be one in March. */
function localDay(year: number, month: number, day: number): Date | undefined {
  const date = new Date(year, month - 1, day);
  return date.getMonth() === month - 1 && date.getDate() === day ? date : undefined;
}
