/** What the exit code says. Part of the contract with scripts: docs/cli.md. */

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** No such session or entry of the memory, or more than one. */
  notFound: 3,
} as const;
