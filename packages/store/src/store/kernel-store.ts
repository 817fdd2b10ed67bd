/**
 * The verbs of the micro-kernel agent over a store, for programs written against them. Failures reject. An id is a key
 * like any other: whatever is in it, its file stays in the store's directory.
 */

import { LonghandError } from "../errors.ts";
import type { Message } from "../format/message.ts";
import type { Store, Written } from "../contract/types.ts";

export interface KernelStore<M extends Message = Message> {
  /** Appends one message, to an archived session too; it is durable when this resolves. */
  save(id: string, message: M): Promise<Written>;
  /** The active session, else the newest archived one; SESSION_NOT_FOUND if there is neither. */
  load(id: string): Promise<M[]>;
  /** The active ones. */
  list(): Promise<string[]>;
  /** Active or archived. */
  exists(id: string): Promise<boolean>;
  /** A second one never overwrites the first: both are kept. SESSION_NOT_FOUND if there is no active session. */
  archive(id: string): Promise<void>;
  /** The active session and every archived one go to the trash; `forever`: nothing of the id is left, not in the trash either. */
  delete(id: string, options?: { forever?: boolean }): Promise<void>;
  /** `undefined`: the store is not in a directory. */
  storageDir(): string | undefined;
}

export function kernelStore<M extends Message = Message>(store: Store<M>): KernelStore<M> {
  return {
    save: async (id, message) => await store.session(id).append(message),

    async load(id) {
      const session = store.session(id);
      const messages = await session.messages();
      if (messages.length > 0 || (await session.exists())) return messages;
      const where = store.directory === undefined ? "" : ` in ${store.directory}`;
      throw new LonghandError(
        "SESSION_NOT_FOUND",
        `there is no session ${JSON.stringify(id)}${where}; list() names those there are`,
        { key: id, directory: store.directory },
      );
    },

    async list() {
      const keys: string[] = [];
      for await (const { key } of store.list({ order: "key" })) keys.push(key);
      return keys;
    },

    exists: async (id) => await store.session(id).exists(),
    archive: async (id) => await store.session(id).archive(),
    delete: async (id, options) => await store.session(id).delete(options),
    storageDir: () => store.directory,
  };
}
