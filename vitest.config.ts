import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

// In-process tests run the sources; tests that start processes run what was built.
const alias = [
  { find: /^@longhand\/store\/testing$/, replacement: path("packages/store/src/testing/index.ts") },
  { find: /^@longhand\/store\/context$/, replacement: path("packages/store/src/context.ts") },
  { find: /^@longhand\/store\/memory$/, replacement: path("packages/store/src/memory.ts") },
  { find: /^@longhand\/agent\/kernel$/, replacement: path("packages/agent/src/kernel.ts") },
  { find: /^@longhand\/agent\/settings$/, replacement: path("packages/agent/src/settings.ts") },
  { find: /^@longhand\/agent$/, replacement: path("packages/agent/src/index.ts") },
  { find: /^@longhand\/store$/, replacement: path("packages/store/src/index.ts") },
];

/** What comes at last comes late on a busy machine; what never comes is told all the same. */
const shared = { expect: { poll: { timeout: 60_000 } } } as const;

export default defineConfig({
  test: {
    // Two at a time, also where there are only two cores: much of the time is waiting for disks and processes.
    maxWorkers: 2,
    reporters: ["default", path("test/support/closing-line-reporter.ts")],
    projects: [
      {
        resolve: { alias },
        test: {
          ...shared,
          name: "store",
          include: ["packages/store/test/**/*.test.ts"],
          testTimeout: 120_000,
        },
      },
      {
        resolve: { alias },
        test: {
          ...shared,
          name: "agent",
          include: ["packages/agent/test/**/*.test.ts"],
          testTimeout: 120_000,
        },
      },
      {
        resolve: { alias },
        test: {
          ...shared,
          name: "longhand",
          include: ["packages/longhand/test/**/*.test.ts"],
          testTimeout: 120_000,
        },
      },
      {
        resolve: { alias },
        test: {
          ...shared,
          name: "repository",
          include: ["test/**/*.test.ts", "proof/test/**/*.test.ts"],
          testTimeout: 300_000,
        },
      },
    ],
  },
});
