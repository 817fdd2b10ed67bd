/** A store that is left while the disk is full, and opened again: as long as it is, and when there is room. */

import { isLonghandError, jsonlBackend, openStore } from "@longhand/store";
import { examineAsReader, examineAsWriter } from "../writers/examine-store.ts";
import type { FullDisk } from "./full-disk.ts";
import { EXPECTED_WITH_ROOM, StoreOnFullDisk } from "./store-on-full-disk.ts";

/** It is closed while the disk is full, and opened again, then or later. */
export async function fillAndReopen(disk: FullDisk): Promise<string | undefined> {
  const first = await StoreOnFullDisk.open(disk);
  const wrong =
    (await first.fill()) ?? (await first.step(10)) ?? (await diskFullAtMost(() => first.store.close()));
  if (wrong !== undefined) return wrong;
  return (await openWhileFull(disk)) ?? (await goOnReopened(disk));
}

/** Reading needs no room; opening to write may say that there is none. */
export async function openWhileFull(disk: FullDisk): Promise<string | undefined> {
  const read = await examineAsReader(disk.directory, disk.ledger);
  if (read !== undefined) return `while the disk is full ${read}`;
  return await diskFullAtMost(async () => {
    const store = await openStore(jsonlBackend(disk.directory), { onError: () => undefined });
    await store.close();
  });
}

export async function goOnReopened(disk: FullDisk): Promise<string | undefined> {
  await disk.giveRoom();
  const wrong = (await examineAsReader(disk.directory, disk.ledger)) ?? (await recover(disk));
  if (wrong !== undefined) return `when there is room again ${wrong}`;
  const writer = await StoreOnFullDisk.open(disk);
  try {
    const late =
      (await writer.step(10, EXPECTED_WITH_ROOM)) ?? (await writer.look("when there is room again"));
    if (late !== undefined) return late;
  } finally {
    await writer.store.close();
  }
  return await examineAsReader(disk.directory, disk.ledger);
}

async function recover({ directory, ledger }: FullDisk): Promise<string | undefined> {
  return await examineAsWriter(directory, ledger, { key: "full:1", name: "«look»" });
}

async function diskFullAtMost(task: () => Promise<void>): Promise<string | undefined> {
  try {
    await task();
    return undefined;
  } catch (error) {
    if (!isLonghandError(error)) throw error;
    return error.code === "DISK_FULL" ? undefined : `with a full disk ${error.code}: ${error.message}`;
  }
}
