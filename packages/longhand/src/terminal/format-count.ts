/** Numbers for people. */

const UNITS = ["B", "KB", "MB", "GB", "TB"] as const;

/** `4.2 KB`, in steps of 1000 as disks are sold and `ls -h` may not agree. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit === 0 || value >= 9.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit] ?? ""}`;
}

/** `1 message`, `2 messages` */
export function countOf(count: number, singular: string, plural: string = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}
