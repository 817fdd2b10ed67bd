import { FILE_MUTANTS } from "./file-mutants.ts";
import { JOURNAL_MUTANTS } from "./journal-mutants.ts";
import { LEASE_MUTANTS } from "./lease-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { READER_MUTANTS } from "./reader-mutants.ts";
import { RECORD_MUTANTS } from "./record-mutants.ts";

export const MUTANTS: readonly Mutant[] = [
  ...JOURNAL_MUTANTS,
  ...LEASE_MUTANTS,
  ...FILE_MUTANTS,
  ...RECORD_MUTANTS,
  ...READER_MUTANTS,
];
