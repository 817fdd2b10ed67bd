/**
 * The bytes of a simulated file. Immutable: a change gives a new object that shares all pages but the changed ones, so
 * that keeping every state a file was ever in is cheap. Never written places read as NUL and take no memory.
 */

import { asBigInt, hashOfBytes, mixed, NO_HASH, type Hash64 } from "./hash64.ts";

const PAGE = 4096;

/** `undefined`: nothing but NULs. */
type Page = { readonly bytes: Buffer; hash: Hash64 | undefined } | undefined;

export class FileBytes {
  static readonly empty: FileBytes = new FileBytes(0, []);

  readonly size: number;
  readonly #pages: readonly Page[];
  #hash: Hash64 | undefined;
  #digest: bigint | undefined;

  private constructor(size: number, pages: readonly Page[]) {
    this.size = size;
    this.#pages = pages;
  }

  /** Fills `into` from `position` on; how many bytes there were. */
  read(into: Buffer, position: number): number {
    const end = Math.min(position + into.length, this.size);
    for (let at = position; at < end;) {
      const offset = at % PAGE;
      const length = Math.min(PAGE - offset, end - at);
      const target = into.subarray(at - position, at - position + length);
      const copied = this.#pages[Math.floor(at / PAGE)]?.bytes.subarray(offset).copy(target) ?? 0;
      target.fill(0, copied);
      at += length;
    }
    return Math.max(0, end - position);
  }

  /** A place beyond the end makes a hole. */
  write(bytes: Buffer, position: number): FileBytes {
    if (bytes.length === 0) return this;
    const pages = this.#pages.slice();
    const end = position + bytes.length;
    while (pages.length < Math.ceil(end / PAGE)) pages.push(undefined);
    for (let at = position; at < end;) {
      const index = Math.floor(at / PAGE);
      const offset = at % PAGE;
      const length = Math.min(PAGE - offset, end - at);
      const old = pages[index]?.bytes;
      // Shorter than a page as long as only NULs would follow: most files are small.
      const page = Buffer.allocUnsafe(Math.max(old?.length ?? 0, offset + length));
      page.fill(0, old?.copy(page) ?? 0, offset);
      bytes.copy(page, offset, at - position, at - position + length);
      pages[index] = { bytes: page, hash: undefined };
      at += length;
    }
    return new FileBytes(Math.max(this.size, end), pages);
  }

  resize(size: number): FileBytes {
    if (size >= this.size) return size === this.size ? this : new FileBytes(size, this.#pages);
    const pages = this.#pages.slice(0, Math.ceil(size / PAGE));
    const last = pages.pop();
    const kept = last?.bytes.subarray(0, size - pages.length * PAGE);
    if (size > 0) pages.push(kept && { bytes: kept, hash: undefined });
    return new FileBytes(size, pages);
  }

  /** Equal exactly when size and bytes are: a hole and written NULs are the same. */
  get digest(): bigint {
    return (this.#digest ??= asBigInt(this.hash));
  }

  /** The same as numbers. */
  get hash(): Hash64 {
    return (this.#hash ??= this.#makeHash());
  }

  #makeHash(): Hash64 {
    let hash = mixed(NO_HASH, this.size | 0, Math.floor(this.size / 2 ** 32));
    for (const [index, page] of this.#pages.entries()) {
      if (page === undefined) continue;
      const { low, high } = (page.hash ??= hashOfPage(page.bytes));
      if (low !== NO_HASH.low || high !== NO_HASH.high) hash = mixed(hash, index, low, high);
    }
    return hash;
  }
}

/** NO_HASH for nothing but NULs; NULs at the end do not count. */
function hashOfPage(bytes: Buffer): Hash64 {
  let length = bytes.length;
  while (length > 0 && bytes[length - 1] === 0) length -= 1;
  return length === 0 ? NO_HASH : hashOfBytes(bytes, length);
}
