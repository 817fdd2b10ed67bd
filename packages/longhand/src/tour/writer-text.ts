/** What the tour's writer says at its n-th turn; known to the one who checks it. */

export function writerText(number: number): string {
  return `note ${number}: ${"0123456789".repeat(1 + (number % 7))}`;
}
