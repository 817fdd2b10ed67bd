/** Installs the peers into bench/node_modules when they are first needed; never into the repository itself. */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** From bench/dist. */
export const BENCH_DIRECTORY: string = fileURLToPath(new URL("..", import.meta.url));

/** A copy of the lock file that was installed: another one is installed anew. */
const INSTALLED = "node_modules/.installed-package-lock.json";
const LOCK = "package-lock.json";

/** Answers with what went wrong; the run goes on, and its tables say which peers are missing. */
export function installPeers(say: (text: string) => void): string | undefined {
  const [lock, installed] = [LOCK, INSTALLED].map((name) => join(BENCH_DIRECTORY, name)) as [string, string];
  const wanted = readFileSync(lock, "utf8");
  if (existsSync(installed) && readFileSync(installed, "utf8") === wanted) return undefined;
  say(
    "Installing the peers into bench/node_modules (npm ci; better-sqlite3 may be compiled: some minutes) ...",
  );
  const { status, stderr, error } = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], {
    cwd: BENCH_DIRECTORY,
    encoding: "utf8",
  });
  // Without npm there is an error and no output.
  if (error !== undefined) return `npm ci in bench/ cannot be run: ${error.message}`;
  if (status !== 0) return `npm ci in bench/ failed: ${stderr.trim().split("\n").slice(-5).join("\n")}`;
  writeFileSync(installed, wanted);
  return undefined;
}

export function peerVersions(): Readonly<Record<string, string>> {
  const { dependencies } = JSON.parse(readFileSync(join(BENCH_DIRECTORY, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return dependencies;
}
