/** The part of lmdb that the benchmark uses. */
declare module "lmdb" {
  export type Key = string | readonly [string, number];
  export interface RangeOptions {
    readonly start?: Key;
    readonly end?: Key;
    readonly reverse?: boolean;
    readonly limit?: number;
  }
  export interface Database<V, K extends Key> {
    get(key: K): V | undefined;
    put(key: K, value: V): Promise<boolean>;
    remove(key: K): Promise<boolean>;
    getRange(options?: RangeOptions): Iterable<{ readonly key: K; readonly value: V }>;
    getKeys(options?: RangeOptions): Iterable<K>;
    transaction<T>(action: () => T): Promise<T>;
  }
  export interface RootDatabase<V, K extends Key> extends Database<V, K> {
    /** Resolves when everything that is committed is on the disk. */
    readonly flushed: Promise<boolean>;
    openDB<V2, K2 extends Key>(options: { readonly name: string }): Database<V2, K2>;
    close(): Promise<void>;
  }
  export function open<V, K extends Key>(options: {
    readonly path: string;
    readonly maxDbs?: number;
  }): RootDatabase<V, K>;
}
