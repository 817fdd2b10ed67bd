/** The part of libsql that the benchmark uses: that of better-sqlite3. */
declare module "libsql" {
  import type Database from "better-sqlite3";
  const LibsqlDatabase: typeof Database;
  export default LibsqlDatabase;
}
