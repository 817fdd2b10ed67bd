/**
 * Ends a test run with the reason of each skipped test and one plain line, "N passed, N failed, N skipped", for people and
 * programs that read no colours. Whatever makes the run fail counts as failed: also a file that could not be loaded and an
 * error outside any test.
 */

import type { Reporter, TestModule, Vitest } from "vitest/node";

export default class ClosingLineReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      counts.failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const result = test.result();
        const { state } = result;
        // Tests that -t leaves out have no reason, and are only counted.
        if (state === "skipped" && result.note !== undefined) {
          this.#vitest?.logger.log(`skipped: ${test.fullName}: ${result.note}`);
        }
        // A test still pending at the end was never run to its end: that is no pass.
        counts[state === "pending" ? "failed" : state]++;
      }
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
    }
    // Not straight to stdout: the default reporter redraws its lines there and eats the newline.
    this.#vitest?.logger.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}
