/**
 * Conversations in SQLite as an application would keep them: a row for each message, and for each session a row with
 * title, count and time that is updated in the same transaction. For better-sqlite3 and libsql, which have one interface.
 */

import { join } from "node:path";
import type Database from "better-sqlite3";
import type { Statement } from "better-sqlite3";
import type { FoundMessage, ListedSession, OpenedStore } from "../candidate.ts";
import type { BenchMessage } from "../message-mix.ts";

export interface SqliteOptions {
  readonly Database: new (path: string) => Database;
  readonly synchronous: "FULL" | "NORMAL";
  /** Keeps a full-text index (FTS5) up to date and searches in it; otherwise a search is a LIKE. */
  readonly hasFullText?: boolean;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS sessions
    (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, title TEXT NOT NULL, count INTEGER NOT NULL, updated TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, body TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS messages_of_session ON messages (session, id);`;
const FULL_TEXT = `
  CREATE VIRTUAL TABLE IF NOT EXISTS text USING fts5(body, content = 'messages', content_rowid = 'id');
  CREATE TRIGGER IF NOT EXISTS text_of_message AFTER INSERT ON messages
    BEGIN INSERT INTO text (rowid, body) VALUES (new.id, new.body); END;`;

interface Row {
  readonly body: string;
}

export class SqliteStore implements OpenedStore<BenchMessage> {
  readonly #database: Database;
  readonly #hasFullText: boolean;
  readonly #statements = new Map<string, Statement>();
  readonly #sessions = new Map<string, number>();

  constructor(directory: string, { Database, synchronous, hasFullText = false }: SqliteOptions) {
    this.#database = new Database(join(directory, "conversations.db"));
    this.#hasFullText = hasFullText;
    this.#database.pragma("journal_mode = WAL");
    this.#database.pragma(`synchronous = ${synchronous}`);
    this.#database.exec(SCHEMA);
    if (hasFullText) this.#database.exec(FULL_TEXT);
  }

  append(key: string, message: BenchMessage): void {
    this.transaction(() => this.insert(key, message));
  }

  appendBatch(key: string, messages: readonly BenchMessage[]): void {
    this.transaction(() => {
      for (const message of messages) this.insert(key, message);
    });
  }

  transaction(work: () => void): void {
    this.#prepared("BEGIN IMMEDIATE").run();
    try {
      work();
      this.#prepared("COMMIT").run();
    } catch (error) {
      this.#prepared("ROLLBACK").run();
      throw error;
    }
  }

  /** Inside of a transaction. */
  insert(key: string, message: BenchMessage): void {
    const session = this.#sessionOf(key);
    this.#prepared("INSERT INTO messages (session, body) VALUES (?, ?)").run(
      session,
      JSON.stringify(message),
    );
    this.#prepared("UPDATE sessions SET count = count + 1, updated = ? WHERE id = ?").run(
      message.created_at,
      session,
    );
  }

  setTitle(key: string, title: string): void {
    this.#prepared("UPDATE sessions SET title = ? WHERE key = ?").run(title, key);
  }

  tail(key: string, count: number): readonly BenchMessage[] {
    const newestFirst = "SELECT body FROM messages WHERE session = ? ORDER BY id DESC LIMIT ?";
    return this.#prepared(newestFirst).all(this.#sessionOf(key), count).map(parse).reverse();
  }

  load(key: string): readonly BenchMessage[] {
    return Array.from(this.iterate(key));
  }

  *iterate(key: string): Iterable<BenchMessage> {
    const oldestFirst = "SELECT body FROM messages WHERE session = ? ORDER BY id";
    for (const row of this.#prepared(oldestFirst).iterate(this.#sessionOf(key))) yield parse(row);
  }

  count(key: string): number {
    return (this.#prepared("SELECT count FROM sessions WHERE key = ?").get(key) as { readonly count: number })
      .count;
  }

  truncate(key: string, keepLast: number): void {
    this.#remove(
      key,
      "id <= (SELECT id FROM messages WHERE session = ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
      keepLast,
    );
  }

  rewind(key: string, messages: number): void {
    this.#remove(
      key,
      "id >= (SELECT id FROM messages WHERE session = ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
      messages - 1,
    );
  }

  fork(key: string, newKey: string): void {
    this.transaction(() => {
      const [from, to] = [this.#sessionOf(key), this.#sessionOf(newKey)];
      this.#prepared(
        "INSERT INTO messages (session, body) SELECT ?, body FROM messages WHERE session = ? ORDER BY id",
      ).run(to, from);
      this.#prepared(
        "UPDATE sessions SET (title, count, updated) = (SELECT title, count, updated FROM sessions WHERE id = ?) WHERE id = ?",
      ).run(from, to);
    });
  }

  list(): readonly ListedSession[] {
    return this.#prepared(
      "SELECT key, title, count, updated FROM sessions ORDER BY updated DESC",
    ).all() as ListedSession[];
  }

  search(word: string): readonly FoundMessage<BenchMessage>[] {
    const found = this.#hasFullText
      ? "FROM text JOIN messages ON messages.id = text.rowid JOIN sessions ON sessions.id = session WHERE text MATCH ?"
      : "FROM messages JOIN sessions ON sessions.id = session WHERE body LIKE ?";
    const rows = this.#prepared(`SELECT key, messages.body AS body ${found}`).all(
      this.#hasFullText ? word : `%${word}%`,
    );
    return (rows as (Row & { readonly key: string })[]).map((row) => ({ key: row.key, message: parse(row) }));
  }

  close(): void {
    this.#database.close();
  }

  #remove(key: string, which: string, offset: number): void {
    this.transaction(() => {
      const session = this.#sessionOf(key);
      this.#prepared(`DELETE FROM messages WHERE session = ? AND ${which}`).run(session, session, offset);
      this.#prepared("UPDATE sessions SET count = count - changes() WHERE id = ?").run(session);
    });
  }

  #sessionOf(key: string): number {
    const known = this.#sessions.get(key);
    if (known !== undefined) return known;
    const row = this.#prepared("SELECT id FROM sessions WHERE key = ?").get(key);
    const id =
      (row as { readonly id: number } | undefined)?.id ??
      Number(
        this.#prepared("INSERT INTO sessions (key, title, count, updated) VALUES (?, '', 0, '')").run(key)
          .lastInsertRowid,
      );
    this.#sessions.set(key, id);
    return id;
  }

  #prepared(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function parse(row: unknown): BenchMessage {
  return JSON.parse((row as Row).body) as BenchMessage;
}
