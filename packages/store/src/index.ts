export { jsonBackend, type JsonOptions } from "./backends/json/json-backend.ts";
export {
  SessionManager,
  type ManagedSession,
  type SessionManagerOptions,
} from "./backends/json/session-manager.ts";
export type { ForeignFiles } from "./engine/files/look-for-foreign.ts";
export { jsonlBackend, type JsonlOptions } from "./backends/jsonl/jsonl-backend.ts";
export { declareDead, findOwnerOf, findOwners, type LeaseInfo, type StoreOwner } from "./engine/owners.ts";
export { findKeptAside, type KeptAside } from "./engine/kept-aside.ts";
export { memoryBackend } from "./backends/memory.ts";
export { isLonghandError, LONGHAND_ERROR_CODES, LonghandError, type LonghandErrorCode } from "./errors.ts";
export type {
  LeftAlone,
  MigrationFormat,
  MigrationPlan,
  PlannedSession,
  UntakenLine,
} from "./migrate/migration-plan.ts";
export {
  findForeign,
  migrate,
  undoMigration,
  type MigrateOptions,
  type UndoMigrationOptions,
} from "./migrate-sessions.ts";
export type { NotUndone } from "./migrate/plan-undo.ts";
export type { UndoneMigration, UndoneSession } from "./migrate/undo-migration.ts";
export { openStore } from "./open-store.ts";
export { planMigration } from "./plan-migration.ts";
export type { ContentPart, Message, ToolCall, Usage } from "./format/message.ts";
export type { Damage, NoteRecord, SessionInfo, SessionRecord } from "./format/session-record.ts";
export type { Backend, BackendCapabilities } from "./contract/backend.ts";
export { JsonlSessions } from "./directory-sessions.ts";
export type { JsonlSessionsOptions } from "./store/jsonl-sessions.ts";
export { kernelStore, type KernelStore } from "./store/kernel-store.ts";
export type { SessionStore } from "./store/session-store.ts";
export type {
  DroppedRecords,
  IdentifiedWriteOptions,
  ListOptions,
  LockOptions,
  LostRecords,
  Migrated,
  OnProgress,
  PurgeOptions,
  Reclaimed,
  ReclaimOptions,
  SearchHit,
  SearchOptions,
  Session,
  Store,
  StoreOptions,
  UpkeepOptions,
  VerifyReport,
  WatchOptions,
  WriteOptions,
  Written,
} from "./contract/types.ts";
