/**
 * The files of a lease: a row of numbers, of which the newest counts. A number is complete when its name appears: held, by
 * a link to a file that says by whom; free, an empty file. A lease is taken, and given up, only by adding the next number;
 * the newest is never removed. So two who try at once cannot both have it. Nothing here is synced: after a power cut
 * everybody is dead.
 *
 * Beside them lie the tickets of those who wait in line: empty files whose names say it all.
 */

import { LonghandError } from "../errors.ts";
import type { FileSystem } from "../host/host.ts";
import { errorCode, ioError } from "../host/io-error.ts";
import { placeMark, readSmallFile, removeIfThere } from "../host/small-files.ts";
import { useFile } from "../host/use-file.ts";
import { writeFully } from "../host/write-fully.ts";
import { checksum } from "../format/checksum.ts";
import { isJsonObject, tryParseJson } from "../format/json.ts";
import { isId, type Id } from "../format/session-id.ts";
import { leaseShard, type Layout, type LeaseName, TEMPORARY_PREFIX } from "../format/layout.ts";
import { promised } from "../host/promised.ts";

const MAX_LEASE_BYTES = 4096;
/** As we write them: another spelling of a number would be read as a file that is not there. */
const EPOCH = /^[1-9][0-9]{0,14}$/;
/** Higher than any lease gets: its successors would not be read as numbers any more. */
const MAX_EPOCH = 10 ** 14;
const UNWRITTEN = /^\0*$/;
const TICKET = /^waits\.([0-9A-Z]{26})\.([0-9A-Z]{26})$/;

export interface Ticket {
  /** They sort by time. */
  readonly id: Id;
  readonly instance: Id;
}

export interface LeaseRow {
  /** Ascending. */
  readonly epochs: readonly number[];
  /** In the order of the line. */
  readonly tickets: readonly Ticket[];
}

export type LeaseHolder =
  | { readonly kind: "free" }
  /** A newer number has taken its place meanwhile. */
  | { readonly kind: "gone" }
  /** Held, in a form that we do not know: by a newer version, or it is damaged. */
  | { readonly kind: "unclear" }
  | { readonly kind: "held"; readonly instance: Id; readonly since: string };

export class LeaseFiles {
  readonly #files: FileSystem;
  readonly #layout: Layout;
  readonly #instance: Id | "";
  #written = 0;

  /** `instance`: "" for one that only reads. */
  constructor(files: FileSystem, layout: Layout, instance: Id | "") {
    this.#files = files;
    this.#layout = layout;
    this.#instance = instance;
  }

  async readRow(name: LeaseName): Promise<LeaseRow> {
    const epochs: number[] = [];
    const tickets: Ticket[] = [];
    for (const entry of await this.#namesInShard(name)) {
      if (!entry.startsWith(`${name}.`)) continue;
      const rest = entry.slice(name.length + 1);
      if (EPOCH.test(rest)) epochs.push(Number(rest));
      const [, id, instance] = TICKET.exec(rest) ?? [];
      if (isId(id) && isId(instance)) tickets.push({ id, instance });
    }
    epochs.sort((one, other) => one - other);
    tickets.sort((one, other) => (one.id < other.id ? -1 : 1));
    return { epochs, tickets };
  }

  async readHolder(name: LeaseName, epoch: number): Promise<LeaseHolder> {
    const path = this.#path(name, epoch);
    const text = await readSmallFile(this.#files, path, MAX_LEASE_BYTES).catch((error: unknown) => {
      throw ioError(error, "reading the lease", path);
    });
    if (text === undefined) return { kind: "gone" };
    // Not synced, so what a power cut leaves of one is nothing, or zeros: after that everybody is dead, and it is free.
    if (UNWRITTEN.test(text)) return { kind: "free" };
    return decodeHeld(text, `${name}.${epoch}`) ?? { kind: "unclear" };
  }

  /** The number after the newest of `row`, held by us. `undefined`: somebody else was first. */
  async takeAfter(name: LeaseName, row: LeaseRow, since: string): Promise<TakenLease | undefined> {
    const basis = row.epochs.at(-1) ?? 0;
    const epoch = basis + 1;
    if (epoch > MAX_EPOCH) throw notOurs(this.#path(name, basis));
    if (basis === 0) await this.#makeShard(name);
    if (!(await this.#linkHeld(name, epoch, since))) return undefined;
    try {
      return await this.#confirm(name, basis, epoch);
    } catch (error) {
      // Ours, and nobody here would know of it.
      await this.giveUp(name, epoch).catch(() => undefined);
      throw error;
    }
  }

  async #confirm(name: LeaseName, basis: number, epoch: number): Promise<TakenLease | undefined> {
    // The number may have been free again because it was tidied away; then a newer one exists, and counts. The lower of
    // two is always removed first: while the one we build on is there, ours was never given before.
    const now = await this.readRow(name);
    if (now.epochs.at(-1) !== epoch || (basis > 0 && !now.epochs.includes(basis))) return undefined;
    for (const older of now.epochs) {
      if (older < epoch) await removeIfThere(this.#files, this.#path(name, older));
    }
    return { epoch, tickets: now.tickets };
  }

  /** If the next number is there, somebody has taken the lease from us, and it is not ours to give. */
  async giveUp(name: LeaseName, epoch: number): Promise<void> {
    const next = this.#path(name, epoch + 1);
    try {
      await placeMark(this.#files, next);
      await removeIfThere(this.#files, this.#path(name, epoch));
    } catch (error) {
      throw ioError(error, "giving up the lease", next);
    }
  }

  /** For a lease that is never taken again. */
  async removeLast(name: LeaseName, epoch: number): Promise<void> {
    await removeIfThere(this.#files, this.#path(name, epoch));
  }

  async putTicket(name: LeaseName, ticket: Ticket): Promise<void> {
    await placeMark(this.#files, this.#ticketPath(name, ticket));
  }

  async removeTicket(name: LeaseName, ticket: Ticket): Promise<void> {
    await removeIfThere(this.#files, this.#ticketPath(name, ticket));
  }

  /** Where no lease was ever taken there is no directory. */
  async #namesInShard(name: LeaseName): Promise<string[]> {
    const shard = leaseShard(this.#layout, name);
    try {
      return await this.#files.readDirectory(shard);
    } catch (error) {
      if (errorCode(error) === "ENOENT") return [];
      throw ioError(error, "reading the leases", shard);
    }
  }

  async #makeShard(name: LeaseName): Promise<void> {
    const shard = leaseShard(this.#layout, name);
    await promised(() => this.#files.makeDirectory(shard)).catch((error: unknown) => {
      if (errorCode(error) !== "EEXIST") throw ioError(error, "making a directory for leases", shard);
    });
  }

  /** False: the name is taken. */
  async #linkHeld(name: LeaseName, epoch: number, since: string): Promise<boolean> {
    this.#written += 1;
    const temporary = `${this.#layout.leases}/${TEMPORARY_PREFIX}${this.#instance}-${this.#written}`;
    const content = encodeHeld({ instance: this.#instance, since }, `${name}.${epoch}`);
    try {
      await useFile(await this.#files.open(temporary, "create"), async (file) => {
        await writeFully(file, Buffer.from(content), 0);
      });
      await this.#files.link(temporary, this.#path(name, epoch));
      return true;
    } catch (error) {
      if (errorCode(error) === "EEXIST") return false;
      throw error;
    } finally {
      await removeIfThere(this.#files, temporary);
    }
  }

  #path(name: LeaseName, epoch: number): string {
    return `${leaseShard(this.#layout, name)}/${name}.${epoch}`;
  }

  #ticketPath(name: LeaseName, { id, instance }: Ticket): string {
    return `${leaseShard(this.#layout, name)}/${name}.waits.${id}.${instance}`;
  }
}

function notOurs(path: string): LonghandError {
  const message = `${path} has a higher number than any lease of ours; close every program that has the store open, then remove it`;
  return new LonghandError("SESSION_DAMAGED", message, { file: path });
}

export interface TakenLease {
  readonly epoch: number;
  /** Of those who waited when it was taken. */
  readonly tickets: readonly Ticket[];
}

interface Held {
  readonly instance: string;
  readonly since: string;
}

/** The sum tells a turned bit, since a wrong name would be that of somebody who has ended; and whose file it is. */
function encodeHeld({ instance, since }: Held, fileName: string): string {
  const content = { held: true, instance, since };
  const sum = checksum(fileName, JSON.stringify(content));
  return `${JSON.stringify({ ...content, sum })}\n`;
}

/** Earlier versions wrote no sum: without one it counts as it stands. */
function decodeHeld(text: string, fileName: string): LeaseHolder | undefined {
  const value = tryParseJson(text);
  if (!isJsonObject(value)) return undefined;
  const { held, instance, since, ...more } = value;
  if (held !== true || !isId(instance) || typeof since !== "string") return undefined;
  const isWithoutSum = Object.keys(more).length === 0;
  if (!isWithoutSum && text !== encodeHeld({ instance, since }, fileName)) return undefined;
  return { kind: "held", instance, since };
}
