import { examineAsReader, examineAsWriter } from "../writers/examine-store.ts";
import type { FullDisk } from "./full-disk.ts";
import { StoreOnFullDisk } from "./store-on-full-disk.ts";

/** The same store goes on when there is room. */
export async function fillAndGoOn(disk: FullDisk): Promise<string | undefined> {
  const writer = await StoreOnFullDisk.open(disk);
  try {
    const wrong =
      (await writer.fill()) ??
      (await writer.step(40)) ??
      (await writer.look("while the disk is full")) ??
      (await writer.goOn("when there is room again"));
    if (wrong !== undefined) return wrong;
  } finally {
    await writer.store.close();
  }
  return (
    (await examineAsReader(disk.directory, disk.ledger)) ??
    (await examineAsWriter(disk.directory, disk.ledger, { key: "full:1", name: "«look»" }))
  );
}
