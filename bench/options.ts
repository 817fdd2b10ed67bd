/** The command line of `npm run bench`. */

import { parseArgs } from "node:util";
import type { Candidate } from "./candidate.ts";
import { CANDIDATES } from "./candidates/all-candidates.ts";
import { FULL, QUICK, TINY, type Sizes } from "./sizes.ts";
import type { Workload } from "./workload.ts";
import { WORKLOADS, workloadsNamed } from "./workloads/all-workloads.ts";

export const HELP: string = `Measures Longhand beside other stores. docs/performance.md explains the workloads.

  npm run bench                               every workload at full size: hours, and about 30 GB of disk
  npm run bench -- --quick                    the same code at small sizes, in about two minutes
  npm run bench -- --only W1,W4,sweeps        these workloads ("W2" is also W2-sessions and W2-sustained)
  npm run bench -- --candidates longhand,sqlite-full

  --repetitions N   of every measurement; the tables show medians (full size: ${FULL.repetitions}, quick: ${QUICK.repetitions})
  --json FILE       writes every figure of every repetition
  --charts DIR      writes a chart (SVG) for each workload
  --scratch DIR     where stores are made; must be on the disk to be measured (default: bench/dist)
  --tiny            smaller than --quick: to try a change of the benchmark itself
  --help

Workloads: ${WORKLOADS.map(({ name }) => name).join(", ")}
Candidates: ${CANDIDATES.map(({ name }) => name).join(", ")}

Other stores are installed into bench/node_modules on first use. One that cannot be installed is named in the tables.
Ends with 0 if every result was right, with 1 if a candidate lost or changed a message or failed, with 2 if the
command line is wrong. A goal that is missed changes nothing but the table.
`;

export interface Options {
  readonly isHelp: boolean;
  readonly sizes: Sizes;
  readonly workloads: readonly Workload[];
  readonly candidates: readonly Candidate[];
  readonly repetitions: number;
  readonly json: string | undefined;
  readonly charts: string | undefined;
  readonly scratch: string | undefined;
}

export class UsageError extends Error {}

export function parseOptions(parameters: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      quick: { type: "boolean", default: false },
      tiny: { type: "boolean", default: false },
      only: { type: "string" },
      candidates: { type: "string" },
      repetitions: { type: "string" },
      json: { type: "string" },
      charts: { type: "string" },
      scratch: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const sizes = values.tiny ? TINY : values.quick ? QUICK : FULL;
  const { json, charts, scratch, help: isHelp } = values;
  return {
    ...{ isHelp, sizes, json, charts, scratch },
    workloads: chooseWorkloads(values.only),
    candidates: chooseCandidates(values.candidates),
    repetitions: values.repetitions === undefined ? sizes.repetitions : positive(values.repetitions),
  };
}

function chooseWorkloads(list: string | undefined): readonly Workload[] {
  if (list === undefined) return WORKLOADS;
  const chosen = new Set(
    list.split(",").flatMap((name) => {
      const found = workloadsNamed(name.trim());
      if (found === undefined) {
        throw new UsageError(
          `no workload is named ${name}; there are: ${WORKLOADS.map((one) => one.name).join(", ")}, sweeps`,
        );
      }
      return found;
    }),
  );
  return WORKLOADS.filter((workload) => chosen.has(workload));
}

function chooseCandidates(list: string | undefined): readonly Candidate[] {
  if (list === undefined) return CANDIDATES;
  const names = list.split(",").map((name) => name.trim());
  for (const name of names) {
    if (!CANDIDATES.some((candidate) => candidate.name === name)) {
      throw new UsageError(
        `no candidate is named ${name}; there are: ${CANDIDATES.map((one) => one.name).join(", ")}`,
      );
    }
  }
  return CANDIDATES.filter(({ name }) => names.includes(name));
}

function positive(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text))
    throw new UsageError(`--repetitions ${text}: give a whole number from 1 on`);
  return Number(text);
}
