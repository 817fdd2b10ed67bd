/** SQLite through better-sqlite3 and libsql, at the settings that applications choose between. */

import type { BuildStore, Candidate, Driver, OpenedStore } from "../candidate.ts";
import type { BenchMessage } from "../message-mix.ts";
import { GroupCommit } from "./group-commit.ts";
import { SqliteStore, type SqliteOptions } from "./sqlite-store.ts";

class SqliteDriver implements Driver<BenchMessage> {
  readonly #options: SqliteOptions;
  readonly #wrap: (store: SqliteStore) => OpenedStore<BenchMessage>;

  constructor(
    options: SqliteOptions,
    wrap: (store: SqliteStore) => OpenedStore<BenchMessage> = (store) => store,
  ) {
    this.#options = options;
    this.#wrap = wrap;
  }

  toOwn(message: BenchMessage): BenchMessage {
    return message;
  }

  fromOwn(own: BenchMessage): BenchMessage {
    return own;
  }

  open(directory: string): OpenedStore<BenchMessage> {
    return this.#wrap(new SqliteStore(directory, this.#options));
  }

  openForBuild(directory: string): BuildStore<BenchMessage> {
    return new SqliteStore(directory, { ...this.#options, synchronous: "NORMAL" });
  }
}

const loadBetterSqlite = async (): Promise<SqliteOptions["Database"]> =>
  (await import("better-sqlite3")).default;

export const sqliteFull: Candidate = {
  name: "sqlite-full",
  title: "better-sqlite3, synchronous=FULL",
  peer: "better-sqlite3",
  isDurable: true,
  load: async () => new SqliteDriver({ Database: await loadBetterSqlite(), synchronous: "FULL" }),
};

export const sqliteNormal: Candidate = {
  name: "sqlite-normal",
  title: "better-sqlite3, synchronous=NORMAL",
  peer: "better-sqlite3",
  isDurable: false,
  sharesDataOf: "sqlite-full",
  load: async () => new SqliteDriver({ Database: await loadBetterSqlite(), synchronous: "NORMAL" }),
};

export const sqliteGroup: Candidate = {
  name: "sqlite-group",
  title: "better-sqlite3, FULL, group commit in the application",
  peer: "better-sqlite3",
  isDurable: true,
  sharesDataOf: "sqlite-full",
  load: async () =>
    new SqliteDriver(
      { Database: await loadBetterSqlite(), synchronous: "FULL" },
      (store) => new GroupCommit(store),
    ),
};

export const sqliteFullText: Candidate = {
  name: "sqlite-fts5",
  title: "better-sqlite3 with an FTS5 index",
  peer: "better-sqlite3",
  isDurable: true,
  load: async () =>
    new SqliteDriver({ Database: await loadBetterSqlite(), synchronous: "FULL", hasFullText: true }),
};

export const libsql: Candidate = {
  name: "libsql",
  title: "libsql, synchronous=FULL",
  peer: "libsql",
  isDurable: true,
  load: async () => new SqliteDriver({ Database: (await import("libsql")).default, synchronous: "FULL" }),
};
