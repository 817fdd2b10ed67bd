import type { SessionState } from "./fold.ts";
import type { Header } from "./header.ts";
import type { SessionInfo } from "./session-record.ts";

export function sessionInfo(
  header: Pick<Header, "key" | "id" | "at">,
  state: SessionState,
  bytes: number,
  damaged: number,
  status: SessionInfo["status"] = "active",
): SessionInfo {
  return {
    key: header.key,
    id: header.id,
    status,
    seq: state.seq,
    count: state.count,
    summary: state.summary,
    ...(state.title === undefined ? {} : { title: state.title }),
    tags: [...state.tags],
    created: header.at,
    updated: state.updated ?? header.at,
    bytes,
    damaged,
  };
}
