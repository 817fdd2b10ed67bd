/** Candidates over plain files that do what a store must never do. */

import { BareFileDriver, BareFileStore } from "../../candidates/bare-file.ts";
import type { Candidate, Driver, OpenMode } from "../../candidate.ts";
import { sessionKey, type BenchMessage } from "../../message-mix.ts";

type Fault = (store: BareFileStore, key: string, message: BenchMessage, count: number) => void;

/** The fault takes the place of each append. */
export function faulty(name: string, fault: Fault): Candidate {
  class FaultyStore extends BareFileStore {
    #count = 0;

    override append(key: string, message: BenchMessage): void {
      // The warm-up is not looked at.
      if (key !== sessionKey(0)) this.#count += 1;
      fault(this, key, message, this.#count);
    }
  }
  class FaultyDriver extends BareFileDriver {
    override open(directory: string, mode: OpenMode): BareFileStore {
      return new FaultyStore(directory, mode);
    }
  }
  const driver: Driver = new FaultyDriver();
  return { name, title: name, isDurable: true, load: async () => await Promise.resolve(driver) };
}

export const honest: Candidate = faulty("honest", (store, key, message) => store.appendBatch(key, [message]));

export const losesOne: Candidate = faulty("loses-one", (store, key, message, count) => {
  if (count !== 3) store.appendBatch(key, [message]);
});

export const losesTheLast: Candidate = faulty("loses-the-last", (store, key, message, count) => {
  if (count !== 12) store.appendBatch(key, [message]);
});

export const writesTwice: Candidate = faulty("writes-twice", (store, key, message, count) => {
  store.appendBatch(key, count === 3 ? [message, message] : [message]);
});

export const changesOne: Candidate = faulty("changes-one", (store, key, message, count) => {
  store.appendBatch(key, [count === 3 ? { ...message, content: message.content.toUpperCase() } : message]);
});

export const fails: Candidate = faulty("fails", (_store, _key, _message, count) => {
  if (count === 3) throw new Error("no space left");
});

export const notInstalled: Candidate = {
  ...{ name: "not-installed", title: "not installed", peer: "some-store", isDurable: true },
  load: async () => await Promise.reject(new Error("Cannot find package 'some-store'")),
};
