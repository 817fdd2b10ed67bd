/** Every candidate, in the order of the tables. */

import type { Candidate } from "../candidate.ts";
import { bareFile } from "./bare-file.ts";
import { bareNode } from "./bare-node.ts";
import { langchainFile } from "./langchain-file.ts";
import { langgraphSqlite } from "./langgraph-sqlite.ts";
import { lmdb } from "./lmdb.ts";
import { longhand } from "./longhand.ts";
import { openaiMemory } from "./openai-memory.ts";
import { pi } from "./pi.ts";
import { libsql, sqliteFull, sqliteFullText, sqliteGroup, sqliteNormal } from "./sqlite.ts";

export const CANDIDATES: readonly Candidate[] = [
  ...[longhand, sqliteFull, sqliteGroup, sqliteNormal, sqliteFullText, libsql, lmdb],
  ...[bareFile, pi, langchainFile, langgraphSqlite, openaiMemory, bareNode],
];

export function candidateNamed(name: string): Candidate {
  const candidate = CANDIDATES.find((known) => known.name === name);
  if (candidate === undefined) {
    throw new Error(
      `no candidate is named ${name}; there are: ${CANDIDATES.map((known) => known.name).join(", ")}`,
    );
  }
  return candidate;
}
