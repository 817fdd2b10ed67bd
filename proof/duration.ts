/** Times as people write them: 90s, 20m, 2h. */

const MILLISECONDS = { s: 1000, m: 60_000, h: 3_600_000 } as const;

/** `undefined`: that is no time. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([smh])$/.exec(text) ?? [];
  if (amount === undefined || (unit !== "s" && unit !== "m" && unit !== "h")) return undefined;
  return Number(amount) * MILLISECONDS[unit];
}

export function tellDuration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
