import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Copies a directory in which a promise was broken, before it is removed; the answer says where to. */
export function keepEvidence(directory: string): string {
  if (!existsSync(directory)) return `there is no ${directory}`;
  const kept = mkdtempSync(join(tmpdir(), "longhand-violation-"));
  execFileSync("cp", ["-a", directory, kept]);
  return `what is left is kept in ${kept}`;
}
