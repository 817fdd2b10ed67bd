import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

// In-process tests run the sources; tests that start processes run what was built.
const alias = [
  { find: /^@longhand\/store\/testing$/, replacement: path("packages/store/src/testing/index.ts") },
  { find: /^@longhand\/store\/context$/, replacement: path("packages/store/src/context.ts") },
  { find: /^@longhand\/store\/memory$/, replacement: path("packages/store/src/memory.ts") },
  { find: /^@longhand\/store\/messages$/, replacement: path("packages/store/src/messages.ts") },
  { find: /^@longhand\/agent\/kernel$/, replacement: path("packages/agent/src/kernel.ts") },
  { find: /^@longhand\/agent\/settings$/, replacement: path("packages/agent/src/settings.ts") },
  { find: /^@longhand\/agent$/, replacement: path("packages/agent/src/index.ts") },
  { find: /^@longhand\/store$/, replacement: path("packages/store/src/index.ts") },
];

/** Tests that need root, mounts, tmux, the sandbox, or that kill or start many processes. */
const SYSTEM_TESTS = "*.system.test.ts";
/** Tests that run small everywhere, and at full size among the system tests: test/support/sized.ts. */
const SIZED_TESTS = "*.sized.test.ts";

/** Waits have long limits: on a busy machine everything comes late, and what never comes still fails. */
const shared = { expect: { poll: { timeout: 60_000 } }, testTimeout: 300_000 } as const;

function projectOf(name: string, directories: readonly string[]): TestProjectInlineConfiguration {
  return {
    resolve: { alias },
    test: {
      ...shared,
      name,
      include: directories.map((directory) => `${directory}/**/*.test.ts`),
      exclude: [`**/${SYSTEM_TESTS}`],
      // Most of the time of a small test file was the start of its process and its imports.
      isolate: false,
    },
  };
}

export default defineConfig({
  test: {
    // Two at a time, also where there are only two cores: much of the time is waiting for disks and processes.
    maxWorkers: 2,
    reporters: ["default", path("test/support/closing-line-reporter.ts")],
    projects: [
      projectOf("store", ["packages/store/test"]),
      projectOf("agent", ["packages/agent/test"]),
      projectOf("longhand", ["packages/longhand/test"]),
      projectOf("repository", ["test", "proof/test", "bench/test"]),
      {
        resolve: { alias },
        test: {
          ...shared,
          name: "system",
          include: ["packages/*/test", "test", "proof/test", "bench/test"].flatMap((directory) =>
            [SYSTEM_TESTS, SIZED_TESTS].map((name) => `${directory}/**/${name}`),
          ),
          env: { LONGHAND_TEST_SIZE: "full" },
        },
      },
    ],
  },
});
