import type { OpenFile } from "./host.ts";
import { promised } from "./promised.ts";

/** Closes the file after `use`. If that failed, its failure is the one to tell, whatever closing says. */
export async function useFile<T>(file: OpenFile, use: (file: OpenFile) => Promise<T>): Promise<T> {
  const result = await use(file).catch(async (error: unknown) => {
    await promised(() => file.close()).catch(() => undefined);
    throw error;
  });
  await file.close();
  return result;
}
