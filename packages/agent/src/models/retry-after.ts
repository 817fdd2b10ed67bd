/** The time for which a server wants to be left alone. However long it is: the caller caps it. */

/** In milliseconds. `now`: since the epoch, for servers that name a date. `undefined`: it did not say, or nothing sensible. */
export function retryAfter(
  headers: Readonly<Record<string, string | undefined>>,
  now: number,
): number | undefined {
  const exact = headers["retry-after-ms"]?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(exact)) return finite(Number(exact));
  const text = headers["retry-after"]?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return finite(Number(text) * 1000);
  // Date.parse takes many things for dates; the ones meant begin with the day of the week.
  const date = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function finite(milliseconds: number): number {
  return Math.min(Math.ceil(milliseconds), Number.MAX_SAFE_INTEGER);
}
