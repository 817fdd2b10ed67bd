/**
 * One session, all its files, read from their first bytes to their last. Takes no lease and changes nothing. What it finds
 * is what a repair mends; why something could not be mended is said in its reason.
 */

import type { FileSystem, OpenFile } from "../../host/host.ts";
import { isSameFile } from "../../host/is-same-file.ts";
import { tryOpen } from "../../host/try-open.ts";
import { useFile } from "../../host/use-file.ts";
import { patchedSource, type ByteSource, type PatchesOf } from "../../session/byte-source.ts";
import { firstSeqOf } from "../../session/log-part.ts";
import { segmentCandidates, segmentPath } from "../../session/segment-path.ts";
import { verifyPart } from "../../session/verify-part.ts";
import { notOpenedText, reasonText, type HeaderReason, type NotOpened } from "../../format/damage-reason.ts";
import { FORMAT_VERSION } from "../../format/format.ts";
import type { ChainLink, Header } from "../../format/header.ts";
import { fileNameOf } from "../../format/key.ts";
import type { ScanDamage } from "../../format/scan.ts";
import type { Damage } from "../../format/session-record.ts";
import { toDamage } from "../../format/to-damage.ts";
import { findSessionFile, type SessionFile } from "../files/find-session-file.ts";
import { keptFilesOf } from "../files/fit-kept-records.ts";
import { findSecondFile } from "../files/only-file.ts";
import { fitJournals, groupDamage, judgeJournals } from "../files/stray-records.ts";
import { findOrphans, isLinkedAway } from "./find-orphans.ts";
import type { Layout } from "../../format/layout.ts";
import { salvageSource, type SalvageSource } from "./salvage-source.ts";
import { findHeader, nameOf, type FoundHeader } from "./find-header.ts";
import { findObstacle } from "./find-obstacle.ts";
import {
  leftForSecond,
  leftUnopened,
  leftUnproven,
  LINKED_DIRECTORY,
  MISPLACED,
  type Obstacle,
  UPDATE_TO_CHECK,
  UPDATE_TO_REPAIR,
} from "./left-as-it-is.ts";
import { verifySegment, type CheckedSegment } from "./verify-segment.ts";

export interface VerifyPlace {
  readonly files: FileSystem;
  readonly layout: Layout;
  /** Acknowledged records that may not be in the session's active file yet. */
  readonly patchesOf: PatchesOf;
  /** Somebody may be writing to this key now: what is not whole yet is no damage. */
  mayBeGrowing(key: string): Promise<boolean>;
  /** Told how much of a session has been read, by its bytes, from 0 to 1. */
  readonly onShare?: (share: number) => void;
}

export interface CheckedSession {
  readonly file: SessionFile;
  /** `undefined`: whose it is cannot be told. */
  readonly header: Header | undefined;
  readonly records: number;
  /** Everything that was found. */
  readonly damage: readonly Damage[];
  /** Of that, what lies in the active file. */
  readonly active: readonly ScanDamage[];
  readonly segments: readonly { readonly link: ChainLink; readonly checked: CheckedSegment }[];
  /** Paths that the chain does not name. */
  readonly orphans: readonly string[];
  /** Something was not reported only because somebody may be writing: under the lease it can be told. */
  readonly isDoubtful: boolean;
  /** A copy by another name, say: it counts for nothing. */
  readonly isMisplaced: boolean;
  /** Why a repair leaves all of it as it is. */
  readonly left: string | undefined;
}

const LOOKS = 3;

/** `undefined`: there is no such file any more. */
export async function verifySession(
  place: VerifyPlace,
  file: SessionFile,
  look = 1,
): Promise<CheckedSession | undefined> {
  const opened = await tryOpen(place.files, file.path);
  if (opened === undefined) return undefined;
  if (opened.kind === "not-opened") return notOpened(file, opened.why);
  const { checked, before } = await useFile(opened.file, async (content) => ({
    before: await content.stat(),
    checked: await verifyOpened(place, file, content),
  }));
  if (checked.header === undefined || !mayBeOld(checked) || look === LOOKS) return checked;
  const { id, key } = checked.header;
  // A file that is where it was is verified itself, though another may have the same id.
  const isHere = isSameFile(before, await place.files.stat(file.path));
  // A file that cannot be read is in the report by itself: as far as we can tell, nothing has changed.
  const found = isHere
    ? file
    : await findSessionFile(place.files, place.layout, id, fileNameOf(key)).catch(() => undefined);
  // Deleted for good while it was read: what was missing then is no damage.
  if (found === undefined) return undefined;
  const now = await place.files.stat(found.path);
  const hasChanged =
    !isSameFile(before, now) || now?.size !== before.size || now.modified !== before.modified;
  return hasChanged ? await verifySession(place, found, look + 1) : checked;
}

/**
 * What this says may have been so for a moment only: somebody may have come, written, sealed, dropped or repaired, and gone
 * again while we looked, so that nobody was met before or after.
 */
function mayBeOld({ segments, orphans, active }: CheckedSession): boolean {
  const isMissing = segments.some(({ checked }) => checked.isMissing);
  return isMissing || orphans.length > 0 || active.some(({ kind }) => kind === "torn");
}

async function verifyOpened(
  place: VerifyPlace,
  file: SessionFile,
  opened: OpenFile,
): Promise<CheckedSession> {
  const salvage = await salvageSource(opened);
  let obstacle: Obstacle | undefined;
  const found = await findHeader(salvage.source, file, async (header) => {
    obstacle = await findObstacle(place.files, place.layout, header, file.path);
    return obstacle === undefined;
  });
  const { fileBytes } = salvage;
  if (found.kind === "too-new") {
    const reason = `format ${found.version} is newer than this version of Longhand`;
    return unidentified(file, { offset: 0, bytes: 0, reason }, UPDATE_TO_CHECK);
  }
  if (found.kind === "bad") {
    const why = reasonText(found.reason);
    const reason = salvage.isPacked ? `gzip bytes; unpacked, ${why}` : why;
    const bytes = salvage.isPacked ? fileBytes : found.bytes;
    return unidentified(file, { offset: 0, bytes, reason }, leftUnproven(obstacle));
  }
  const { header } = found;
  const expected = nameOf(header, file.status);
  if (expected !== file.name) {
    const reason = `it holds the key ${JSON.stringify(header.key)}, whose file is ${expected}`;
    const misplaced = unidentified(file, { offset: 0, bytes: 0, reason }, MISPLACED);
    return { ...misplaced, header, isMisplaced: true };
  }
  return await verifyFiles(place, file, opened, found, salvage);
}

async function verifyFiles(
  place: VerifyPlace,
  file: SessionFile,
  opened: OpenFile,
  { header, refused }: Extract<FoundHeader, { readonly kind: "header" }>,
  salvage: SalvageSource,
): Promise<CheckedSession> {
  const { key, id } = header;
  // Before and after: it may have ended its work between the two.
  const wasGrowing = await place.mayBeGrowing(key);
  const segments: { link: ChainLink; checked: CheckedSegment }[] = [];
  const onRead = shareOf(header, salvage.source.size, place.onShare);
  for (const link of header.chain) {
    if (link.dropped !== undefined) continue;
    const path = segmentPath(place.layout.segments, id, link.file);
    const writtenBy = link.session ?? id;
    // What its own writer has sealed was synced before; a recovery does not write it again.
    const ofWriter = writtenBy === id ? [] : place.patchesOf({ id: writtenBy, file: link.file });
    segments.push({ link, checked: await verifySegment(place.files, path, link, writtenBy, ofWriter) });
    onRead(link.bytes);
  }
  const present = salvage.isPacked ? [] : place.patchesOf(header);
  const { fits, journaled } = await judgeJournals(place, opened, salvage.source, header, present);
  const source = fits.length === 0 ? salvage.source : patchedSource(opened, salvage.fileBytes, fits);
  const part = await verifyPart({
    source: watched(source, onRead),
    writtenBy: id,
    first: firstSeqOf(header),
    sealed: undefined,
  });
  const found = await findOrphans(place.files, place.layout, header, await opened.stat());
  const isGrowing = wasGrowing || (await place.mayBeGrowing(key));
  const torn = part.torn === undefined || isGrowing ? [] : [part.torn];
  const kept = await keptFilesOf(place, id);
  const journals = await fitJournals(place, source, header, journaled, kept);
  const active: readonly ScanDamage[] = salvage.isPacked
    ? [{ offset: 0, bytes: salvage.fileBytes, kind: "corrupt", reason: { code: "gzip-name" } }]
    : [...withRefused(part.damage, refused), ...torn, ...journals.fitted.displaced];
  const orphans = isGrowing ? [] : found;
  const isSealedDamaged = orphans.length > 0 || segments.some(({ checked }) => checked.damage.length > 0);
  const second = isSealedDamaged
    ? await findSecondFile(place.files, place.layout, { key, id, path: file.path })
    : undefined;
  return {
    file,
    header,
    // What cannot be read under its name is not counted.
    records:
      (salvage.isPacked ? 0 : part.records) + segments.reduce((sum, { checked }) => sum + checked.records, 0),
    damage: [
      ...segments.flatMap(({ checked }) =>
        checked.damage.map((damage) => toDamage(damage, checked.path, key)),
      ),
      ...active.map((damage) => toDamage(damage, file.path, key)),
      ...groupDamage(file.path, header, journals),
      ...orphans.map((path) => ({
        ...ORPHAN,
        reason: orphanReason(place.layout, header, path),
        file: path,
        key,
      })),
    ],
    active,
    segments,
    orphans,
    isDoubtful: isGrowing && (part.torn !== undefined || found.length > 0),
    isMisplaced: false,
    left: await whyLeft(place, header, segments, second),
  };
}

/** In the same words as opening the file. A good line that stands where the header should be is no damage by itself. */
function withRefused(
  damage: readonly ScanDamage[],
  refused: HeaderReason | undefined,
): readonly ScanDamage[] {
  if (refused === undefined || damage.some(({ offset, bytes }) => offset === 0 && bytes > 0)) return damage;
  return [{ offset: 0, bytes: 0, kind: "corrupt", reason: refused }, ...damage];
}

/** `undefined`: a repair mends it. `second`: another file with the same id. */
async function whyLeft(
  { files, layout }: VerifyPlace,
  header: Header,
  segments: CheckedSession["segments"],
  second: string | undefined,
): Promise<string | undefined> {
  if (header.version > FORMAT_VERSION) return UPDATE_TO_REPAIR;
  if (await isLinkedAway(files, layout, header)) return LINKED_DIRECTORY;
  if (second !== undefined) return leftForSecond(second);
  for (const { checked } of segments) {
    for (const { reason } of checked.damage) {
      // Mended without it, all its records would be given up, though they are there.
      if (reason.code === "segment-unreadable" && reason.why.code === "not-permitted")
        return leftUnopened(reason.why, checked.path);
    }
  }
  return undefined;
}

/** Adds up what was read of the files that are there. */
function shareOf(
  { chain }: Header,
  activeBytes: number,
  onShare: VerifyPlace["onShare"],
): (bytes: number) => void {
  const total = chain.reduce(
    (sum, { bytes, dropped }) => sum + (dropped === undefined ? bytes : 0),
    activeBytes,
  );
  let done = 0;
  return (bytes) => {
    done += bytes;
    if (total > 0) onShare?.(Math.min(1, done / total));
  };
}

/** Tells of each byte once, though it may be read more than once. */
function watched(source: ByteSource, onRead: (bytes: number) => void): ByteSource {
  let furthest = 0;
  return {
    size: source.size,
    read: async (into, position) => {
      const count = await source.read(into, position);
      onRead(Math.max(0, position + count - furthest));
      furthest = Math.max(furthest, position + count);
      return count;
    },
  };
}

const ORPHAN = { offset: 0, bytes: 0, kind: "corrupt" } as const;

function orphanReason({ segments }: Layout, { id, chain }: Header, path: string): string {
  const isNamed = chain.some(({ file }) => segmentCandidates(segmentPath(segments, id, file)).includes(path));
  return isNamed
    ? "it holds something else than the file of this number that the session's chain names, and is never read"
    : "the session's chain does not name this file";
}

function notOpened(file: SessionFile, why: NotOpened): CheckedSession {
  const place = { offset: 0, bytes: 0, reason: notOpenedText(why) };
  const permission = why.code === "not-permitted" ? ({ notPermitted: true } as const) : {};
  return unidentified(file, { ...place, ...permission }, leftUnopened(why, file.path));
}

function unidentified(
  file: SessionFile,
  place: Pick<Damage, "offset" | "bytes" | "reason" | "notPermitted">,
  left: string,
): CheckedSession {
  const damage: Damage = { ...place, file: file.path, kind: "corrupt" };
  const nothing = {
    records: 0,
    active: [],
    segments: [],
    orphans: [],
    isDoubtful: false,
    isMisplaced: false,
  };
  return { ...nothing, file, header: undefined, damage: [damage], left };
}
