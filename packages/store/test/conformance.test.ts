/** Every backend against the same suite. */

import { describe, expect, test } from "vitest";
import { describeBackend } from "../src/testing/describe-backend.ts";
import { TESTED_BACKENDS } from "./support/tested-backends.ts";

for (const { name, capabilities, create } of TESTED_BACKENDS) {
  describe(`the ${name} backend`, () => {
    const skipped: string[] = [];
    describeBackend({
      name,
      capabilities,
      create,
      // A busy machine is slow.
      watchTimeoutMs: 60_000,
      test: (title, body) => test(title, body),
      skip: (title, reason) => void skipped.push(`${title} (${reason})`),
    });

    test("skips only what its capabilities do not allow, and says why", () => {
      const missing = Object.entries(capabilities).filter(([, has]) => !has);
      for (const one of skipped) {
        const isMissing = missing.some(([capability]) =>
          one.includes(`(needs the capability ${capability}: `),
        );
        const isShownByOthers = one.includes("(the backend has the capability ");
        expect(isMissing || isShownByOthers, one).toBe(true);
      }
    });
  });
}
