/** What it costs to import the library, and to start the command. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { WrongResult } from "../check-result.ts";
import { peakRssMb, timed, type Workload } from "../workload.ts";

/** From bench/dist/workloads. */
const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url));

export const importTime: Workload = {
  name: "import",
  title: "import the package",
  unit: "ms",
  candidates: ["longhand", "sqlite-full", "libsql", "lmdb"],
  titles: { longhand: "@longhand/store", "sqlite-full": "better-sqlite3", libsql: "libsql" },
  goals: [{ limitMs: 25 }],
  measure: async ({ importMs }) => await Promise.resolve({ figures: { ms: importMs, rssMb: peakRssMb() } }),
};

export const helpTime: Workload = {
  name: "help",
  title: "longhand --help, a whole process",
  unit: "ms",
  candidates: ["longhand", "bare-node"],
  titles: { longhand: "longhand --help", "bare-node": 'node -e ""' },
  goals: [{ peer: "bare-node", ratio: 1 / 1.5 }],
  measure: async ({ candidate }) => {
    const command = [join(REPOSITORY, "packages/longhand/bin/longhand.js"), "--help"];
    const parameters = candidate.name === "bare-node" ? ["-e", ""] : command;
    const { value, figures } = await timed(() =>
      spawnSync(process.execPath, parameters, { encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } }),
    );
    if (value.status !== 0 || (candidate.name !== "bare-node" && !value.stdout.includes("Usage")))
      throw new WrongResult(`${parameters.join(" ")}: exit code ${value.status}: ${value.stderr}`);
    return { figures: { ms: figures.ms } };
  },
};
