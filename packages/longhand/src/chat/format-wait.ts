/** Never "0 s": it is still to come. */
export function formatWait(milliseconds: number): string {
  return `${Math.max(1, Math.ceil(milliseconds / 1000))} s`;
}
