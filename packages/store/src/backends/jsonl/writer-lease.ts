/**
 * Who may write to the directory: one instance at a time. The lease is a row of numbered files, each complete before
 * its name appears (by link), and the newest number counts. It is taken, and given back, only by adding the next
 * number; the newest is never removed. So two who try at once cannot both have it.
 */

import { LonghandError } from "../../errors.ts";
import type { FileSystem, Host } from "../../host/host.ts";
import { errorCode } from "../../host/io-error.ts";
import { readSmallFile, removeIfThere } from "../../host/small-files.ts";
import { useFile } from "../../host/use-file.ts";
import { writeFully } from "../../host/write-fully.ts";
import { isJsonObject, tryParseJson } from "../../record/json.ts";
import { livenessOf, parseInstanceDescription, type InstanceDescription } from "./instance.ts";
import type { Layout } from "./layout.ts";

const NAME = /^writer\.([0-9]{1,15})$/;
const MAX_LEASE_BYTES = 4096;

export interface WriterLease {
  release(): Promise<void>;
}

/** Rejects with SESSION_LOCKED, naming the owner, while somebody holds it who is not proven dead. */
export async function takeWriterLease(
  host: Host,
  layout: Layout,
  self: InstanceDescription,
): Promise<WriterLease> {
  for (;;) {
    const newest = await newestEpoch(host.files, layout);
    const holder = newest === 0 ? "free" : await readHolder(host.files, leasePath(layout, newest));
    if (holder === "gone") continue;
    if (holder === "unclear") throw heldByAnotherVersion(layout);
    if (holder !== "free") await refuseWhileAlive(host, layout, holder);
    const epoch = newest + 1;
    if (!(await addEpoch(host.files, layout, epoch, self.instance, { held: true, ...self }))) continue;
    // An older number may have been free again because it was tidied away; then a newer one exists, and counts.
    if ((await newestEpoch(host.files, layout)) !== epoch) continue;
    await removeOlder(host.files, layout, epoch);
    return { release: async () => await releaseAfter(host.files, layout, epoch, self.instance) };
  }
}

/** The present holder, for those who only read. "unclear": there is one, which a newer version describes. */
export async function currentWriter(
  files: FileSystem,
  layout: Layout,
): Promise<InstanceDescription | "unclear" | undefined> {
  for (;;) {
    const newest = await newestEpoch(files, layout);
    if (newest === 0) return undefined;
    const holder = await readHolder(files, leasePath(layout, newest));
    if (holder !== "gone") return holder === "free" ? undefined : holder;
  }
}

async function refuseWhileAlive(host: Host, layout: Layout, owner: InstanceDescription): Promise<void> {
  const liveness = await livenessOf(host, layout, owner);
  if (liveness === "dead") return;
  const { pid, host: machine, since } = owner;
  const { self } = host.processes;
  const itself = pid === self.pid && machine === self.host ? " (this one)" : "";
  const doubt = liveness === "unproven" ? " (whether it still runs cannot be told from here)" : "";
  throw new LonghandError(
    "SESSION_LOCKED",
    `${layout.directory} is open for writing in process ${pid} on ${machine}${itself} since ${since}${doubt}; ` +
      "close it there, or open the store with readOnly",
    { directory: layout.directory, pid, host: machine, since, liveness },
  );
}

async function newestEpoch(files: FileSystem, layout: Layout): Promise<number> {
  const epochs = await listEpochs(files, layout);
  return Math.max(0, ...epochs);
}

async function listEpochs(files: FileSystem, { leases }: Layout): Promise<number[]> {
  const names = await files.readDirectory(leases);
  return names.flatMap((name) => {
    const epoch = NAME.exec(name)?.[1];
    return epoch === undefined ? [] : [Number(epoch)];
  });
}

/** "gone": a newer number has taken its place meanwhile. "unclear": held, in a form that we do not know. */
async function readHolder(
  files: FileSystem,
  path: string,
): Promise<InstanceDescription | "free" | "gone" | "unclear"> {
  const text = await readSmallFile(files, path, MAX_LEASE_BYTES);
  if (text === undefined) return "gone";
  const value = tryParseJson(text);
  if (isJsonObject(value) && value["held"] === true) return parseInstanceDescription(value) ?? "unclear";
  // Not synced, so a power cut may leave it empty: after one everybody is dead, and free is the truth.
  return "free";
}

/** False: somebody else was first. */
async function addEpoch(
  files: FileSystem,
  layout: Layout,
  epoch: number,
  instance: string,
  content: object,
): Promise<boolean> {
  const temporary = `${layout.leases}/.${instance}`;
  await useFile(await files.open(temporary, "create"), async (file) => {
    await writeFully(file, Buffer.from(`${JSON.stringify(content)}\n`), 0);
  });
  try {
    await files.link(temporary, leasePath(layout, epoch));
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    await files.unlink(temporary);
  }
}

async function releaseAfter(
  files: FileSystem,
  layout: Layout,
  epoch: number,
  instance: string,
): Promise<void> {
  await addEpoch(files, layout, epoch + 1, instance, { held: false, instance });
  await removeOlder(files, layout, epoch + 1);
}

async function removeOlder(files: FileSystem, layout: Layout, newest: number): Promise<void> {
  for (const epoch of await listEpochs(files, layout)) {
    if (epoch < newest) await removeIfThere(files, leasePath(layout, epoch));
  }
}

function leasePath({ leases }: Layout, epoch: number): string {
  return `${leases}/writer.${epoch}`;
}

function heldByAnotherVersion({ directory }: Layout): LonghandError {
  const message = `${directory} is open for writing in a process of another version of Longhand; close it there, or update this one`;
  return new LonghandError("SESSION_LOCKED", message, { directory, liveness: "unproven" });
}
