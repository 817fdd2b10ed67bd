/** Times for people: on a terminal those of the local time zone, with its offset; elsewhere as they are kept, in UTC. */

export interface Times {
  /** A day and a time of day. */
  moment(at: string): string;
  /** The day that a part of a transcript is of; empty: each message tells it. */
  day(at: string): string;
  /** Of a message, under its day; empty: it is not told. */
  clock(at: string): string;
}

/** `2026-11-15 22:41 +01:00` */
const LOCAL: Times = {
  moment: (at) => `${dateAndTime(at)} ${zoneOffset(at)}`.trimEnd(),
  day: (at) => `${longDay(at)} ${zoneOffset(at)}`.trimEnd(),
  clock: clockTime,
};
/** `2026-11-15T21:41:00.000Z` */
const UTC: Times = { moment: (at) => at, day: () => "", clock: (at) => at };

export function timesFor({ isTerminal }: { readonly isTerminal: boolean }): Times {
  return isTerminal ? LOCAL : UTC;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `3 min ago`; after a month the date. A time ahead of the clock is given as it is: clocks jump. */
export function relativeTime(at: string, now: Date): string {
  const passed = now.getTime() - Date.parse(at);
  if (Number.isNaN(passed)) return at;
  if (passed < -MINUTE) return dateAndTime(at);
  if (passed < MINUTE) return "just now";
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h ago`;
  const days = Math.floor(passed / DAY);
  if (days > 30) return calendarDay(at);
  return days === 1 ? "1 day ago" : `${days} days ago`;
}

/** `2026-11-15` */
export function calendarDay(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  return [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join("-");
}

/** `Sunday 15 November 2026` */
export function longDay(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const name = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat("en-GB", options).format(date);
  return `${name({ weekday: "long" })} ${date.getDate()} ${name({ month: "long" })} ${date.getFullYear()}`;
}

/** `19:24` */
export function clockTime(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  return `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

function zoneOffset(at: string): string {
  const minutes = -new Date(at).getTimezoneOffset();
  if (Number.isNaN(minutes)) return "";
  const hours = twoDigits(Math.floor(Math.abs(minutes) / 60));
  return `${minutes < 0 ? "-" : "+"}${hours}:${twoDigits(Math.abs(minutes) % 60)}`;
}

function dateAndTime(at: string): string {
  if (Number.isNaN(Date.parse(at))) return at;
  return `${calendarDay(at)} ${clockTime(at)}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
