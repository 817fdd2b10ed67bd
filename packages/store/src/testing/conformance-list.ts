/** Every file of conformance/, once. A test compares this list with the directory. */

import type { ConformanceCase } from "./conformance-case.ts";
import { appendBatchCases } from "./conformance/append-batch.ts";
import { appendIdCases } from "./conformance/append-id.ts";
import { appendCases } from "./conformance/append.ts";
import { archiveCases } from "./conformance/archive.ts";
import { closeCases } from "./conformance/close.ts";
import { compactCases } from "./conformance/compact.ts";
import { concurrentCases } from "./conformance/concurrent.ts";
import { deleteCases } from "./conformance/delete.ts";
import { expectedSeqCases } from "./conformance/expected-seq.ts";
import { forkCases } from "./conformance/fork.ts";
import { importRecordsCases } from "./conformance/import-records.ts";
import { isolationCases } from "./conformance/isolation.ts";
import { iterateCases } from "./conformance/iterate.ts";
import { keysCases } from "./conformance/keys.ts";
import { listCases } from "./conformance/list.ts";
import { lockCases } from "./conformance/lock.ts";
import { messageValuesCases } from "./conformance/message-values.ts";
import { messagesCases } from "./conformance/messages.ts";
import { noteCases } from "./conformance/note.ts";
import { purgeCases } from "./conformance/purge.ts";
import { readOnlyCases } from "./conformance/read-only.ts";
import { reclaimCases } from "./conformance/reclaim.ts";
import { recordsCases } from "./conformance/records.ts";
import { reopenCases } from "./conformance/reopen.ts";
import { replaceCases } from "./conformance/replace.ts";
import { restoreCases } from "./conformance/restore.ts";
import { rewindUndoesCases } from "./conformance/rewind-undoes.ts";
import { rewindCases } from "./conformance/rewind.ts";
import { searchCases } from "./conformance/search.ts";
import { stateCases } from "./conformance/state.ts";
import { summaryTitleTagsCases } from "./conformance/summary-title-tags.ts";
import { truncateCases } from "./conformance/truncate.ts";
import { undoCutCases } from "./conformance/undo-cut.ts";
import { verifyCases } from "./conformance/verify.ts";
import { watchCases } from "./conformance/watch.ts";

export interface ConformanceGroup {
  /** The name of the file. */
  readonly operation: string;
  readonly cases: readonly ConformanceCase[];
}

export const CONFORMANCE: readonly ConformanceGroup[] = [
  { operation: "append", cases: appendCases },
  { operation: "append-batch", cases: appendBatchCases },
  { operation: "append-id", cases: appendIdCases },
  { operation: "expected-seq", cases: expectedSeqCases },
  { operation: "messages", cases: messagesCases },
  { operation: "iterate", cases: iterateCases },
  { operation: "records", cases: recordsCases },
  { operation: "state", cases: stateCases },
  { operation: "summary-title-tags", cases: summaryTitleTagsCases },
  { operation: "note", cases: noteCases },
  { operation: "truncate", cases: truncateCases },
  { operation: "rewind", cases: rewindCases },
  { operation: "rewind-undoes", cases: rewindUndoesCases },
  { operation: "import-records", cases: importRecordsCases },
  { operation: "undo-cut", cases: undoCutCases },
  { operation: "compact", cases: compactCases },
  { operation: "replace", cases: replaceCases },
  { operation: "fork", cases: forkCases },
  { operation: "watch", cases: watchCases },
  { operation: "lock", cases: lockCases },
  { operation: "archive", cases: archiveCases },
  { operation: "restore", cases: restoreCases },
  { operation: "delete", cases: deleteCases },
  { operation: "purge", cases: purgeCases },
  { operation: "verify", cases: verifyCases },
  { operation: "reclaim", cases: reclaimCases },
  { operation: "list", cases: listCases },
  { operation: "search", cases: searchCases },
  { operation: "keys", cases: keysCases },
  { operation: "message-values", cases: messageValuesCases },
  { operation: "isolation", cases: isolationCases },
  { operation: "concurrent", cases: concurrentCases },
  { operation: "reopen", cases: reopenCases },
  { operation: "close", cases: closeCases },
  { operation: "read-only", cases: readOnlyCases },
];
