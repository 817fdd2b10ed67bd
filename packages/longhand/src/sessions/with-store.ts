/**
 * Opens the store for one command and closes it whatever happens. Reading takes no lock, so that it works while an
 * agent is running; a directory that is not there yet reads as an empty store.
 */

import { type Damage, type LonghandError, openStore, type Store } from "@longhand/store";
import type { Places } from "../config/resolve-places.ts";
import { escapeLine } from "../terminal/escape-controls.ts";
import { jsonLine } from "../terminal/json-line.ts";
import type { Output } from "../terminal/output.ts";

export interface StoreSurroundings {
  readonly output: Output;
  readonly places: Places;
  /** The answer is for a program: JSON only, on both streams. */
  readonly json: boolean;
}

export async function withStoreForReading<T>(
  given: StoreSurroundings,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const options = { readOnly: true, ...reporters(given) };
  return await useAndClose(await openStore(given.places.sessions.path, options), use);
}

export async function withStoreForWriting<T>(
  given: StoreSurroundings,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  return await useAndClose(await openStore(given.places.sessions.path, reporters(given)), use);
}

async function useAndClose<T>(store: Store, use: (store: Store) => Promise<T>): Promise<T> {
  let result: T;
  try {
    result = await use(store);
  } catch (error) {
    // What went wrong first is what is told.
    await store.close().catch(() => undefined);
    throw error;
  }
  await store.close();
  return result;
}

function reporters({ output, json }: StoreSurroundings): {
  onDamage: (damage: Damage) => void;
  onError: (error: LonghandError) => void;
} {
  const warn = (code: string, message: string, detail: object): void => {
    output.writeError(
      json
        ? jsonLine({ warning: { code, message, ...detail } })
        : `longhand: warning: ${escapeLine(message)}\n`,
    );
  };
  return {
    onDamage: (damage) => warn("DAMAGE", describeDamage(damage), { damage }),
    onError: ({ code, message }) => warn(code, message, {}),
  };
}

export function describeDamage({ file, offset, bytes, kind, reason }: Damage): string {
  return `${file}: ${kind} at byte ${offset} (${bytes} bytes): ${reason}`;
}
