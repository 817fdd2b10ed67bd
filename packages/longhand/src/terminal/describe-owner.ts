/** Who has a session, or a store, out of what the store tells of the owner. */

export interface OwnerDetail {
  readonly pid?: number;
  readonly host?: string;
  readonly since?: string;
}

/** `process 7 on ana-laptop since 2026-11-15T21:41:00.000Z` */
export function describeOwner({ pid, host, since }: OwnerDetail): string {
  if (pid === undefined) return "a process that does not say who it is";
  const where = host === undefined ? "" : ` on ${host}`;
  return `process ${pid}${where}${since === undefined ? "" : ` since ${since}`}`;
}

/** `undefined`: the error does not name an owner. */
export function ownerIn(detail: Readonly<Record<string, unknown>>): OwnerDetail | undefined {
  const { pid, host, since } = detail;
  if (typeof pid !== "number") return undefined;
  return {
    pid,
    ...(typeof host === "string" ? { host } : {}),
    ...(typeof since === "string" ? { since } : {}),
  };
}
