/** The part of better-sqlite3 that the benchmark uses; libsql has the same. */
declare module "better-sqlite3" {
  export interface Statement {
    run(...parameters: readonly unknown[]): { readonly lastInsertRowid: number | bigint };
    get(...parameters: readonly unknown[]): unknown;
    all(...parameters: readonly unknown[]): unknown[];
    iterate(...parameters: readonly unknown[]): IterableIterator<unknown>;
  }

  export default class Database {
    constructor(path: string);
    pragma(text: string): unknown;
    exec(sql: string): unknown;
    prepare(sql: string): Statement;
    close(): unknown;
  }
}
