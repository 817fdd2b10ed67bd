/** What speaks against a header that can be read but has no valid checksum. */

import { reasonText } from "../../format/damage-reason.ts";
import type { Header } from "../../format/header.ts";
import type { Layout } from "../../format/layout.ts";
import type { FileSystem } from "../../host/host.ts";
import { ioError, pathOf } from "../../host/io-error.ts";
import { segmentPath } from "../../session/segment-path.ts";
import { findSecondFile } from "../files/only-file.ts";
import { findOrphans } from "./find-orphans.ts";
import type { Obstacle } from "./left-as-it-is.ts";
import { verifySegment } from "./verify-segment.ts";

/** `undefined`: no other file is this session's, and every sealed file is there and whole; with an empty chain, there are none. */
export async function findObstacle(
  files: FileSystem,
  layout: Layout,
  header: Header,
  path: string,
): Promise<Obstacle | undefined> {
  const { key, id } = header;
  const unreadable: string[] = [];
  const onUnreadable = (error: unknown): unknown =>
    unreadable.push(ioError(error, "reading a session", pathOf(error) ?? layout.directory).message);
  const second = await findSecondFile(files, layout, { key, id, path }, onUnreadable);
  if (second !== undefined) return { kind: "second-file", path: second };
  const [message] = unreadable;
  if (message !== undefined) return { kind: "unreadable-file", message };
  let next = 1;
  for (const link of header.chain) {
    if (link.first !== next) return { kind: "chain" };
    next = link.last + 1;
    if (link.dropped !== undefined) continue;
    const sealed = segmentPath(layout.segments, id, link.file);
    const checked = await verifySegment(files, sealed, link, link.session ?? id);
    const [damage] = checked.damage;
    if (damage !== undefined)
      return { kind: "sealed-file", path: checked.path, reason: reasonText(damage.reason) };
  }
  const [unnamed] = await findOrphans(files, layout, header, undefined);
  return unnamed === undefined ? undefined : { kind: "unnamed-file", path: unnamed };
}
