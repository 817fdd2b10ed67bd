/**
 * The size of a test in a `*.sized.test.ts` file: `npm test` runs it small, `npm run test:system` runs it again at full size.
 * vitest.config.ts sets the variable.
 */
export function sized(small: number, full: number): number {
  return process.env["LONGHAND_TEST_SIZE"] === "full" ? full : small;
}
