/** What a workload is, and what it is handed in its child process. */

import { performance } from "node:perf_hooks";
import process from "node:process";
import type { Candidate, Driver, MaybePromise, OpenedStore } from "./candidate.ts";
import type { DataSet } from "./data-set.ts";
import type { Sizes } from "./sizes.ts";

export interface Workload {
  readonly name: string;
  readonly title: string;
  readonly unit: "ops/s" | "ms";
  /** The candidates that it fits. */
  readonly candidates: readonly string[];
  /** It is about durable writes: a candidate whose writes are not is marked. */
  readonly isDurable?: boolean;
  /** What a candidate is called here, where its own title does not say what it does in this workload. */
  readonly titles?: Readonly<Record<string, string>>;
  /** A sweep: it is measured at each of these. */
  readonly points?: (sizes: Sizes) => readonly number[];
  readonly pointsAre?: "messages" | "sessions";
  /** What the store holds at the beginning; absent: it is empty. */
  readonly data?: (sizes: Sizes, point: number) => DataSet;
  /**
   * "own": it changes the data, so that each child has a copy. "shared": the sweeps over messages use one copy in turn;
   * `grows` says by how much.
   */
  readonly copy?: "own" | "shared";
  readonly grows?: (sizes: Sizes) => number;
  /** What the first candidate, Longhand, should reach against others. */
  readonly goals?: readonly Goal[];
  /** Of a sweep: the slowest point may take so many times as long as the fastest. */
  readonly flatWithin?: number;
  /** Waits before the child starts, so that the disk is at rest. */
  readonly restMs?: number;
  /** How often the disk flushes is part of the result. */
  readonly countsSyncs?: boolean;
  /** Throws a `WrongResult` if what was read is not what was written. */
  readonly measure: (context: MeasureContext) => Promise<Measured>;
  /** In a fresh process after `measure`, of candidates that keep anything: reads back what was written. */
  readonly verify?: (context: MeasureContext, facts: Facts) => Promise<void>;
}

export type Goal =
  /** `ratio`: how many times as fast as the peer. */
  | { readonly peer: string; readonly ratio: number }
  /** At most so many ms. */
  | { readonly limitMs: number };

export interface MeasureContext {
  readonly candidate: Candidate;
  readonly driver: Driver;
  /** How long its import took. */
  readonly importMs: number;
  readonly directory: string;
  readonly sizes: Sizes;
  /** Of a sweep; otherwise 0. */
  readonly point: number;
  /** How many messages the session has, where a workload before it on the same copy has added some. */
  readonly messages: number;
}

/** `ops` or `ms` is what is compared; the others are printed beside it. */
export type Figures = Readonly<Record<string, number>>;
/** What `verify` must know of the run. */
export type Facts = readonly number[];

export interface Measured {
  readonly figures: Figures;
  readonly facts?: Facts;
}

export interface Timed<T> {
  readonly value: T;
  /** `ms`, the peak memory of the process until then, and `wallMs`: the time since the process started. */
  readonly figures: { readonly ms: number; readonly rssMb: number; readonly wallMs: number };
}

export async function timed<T>(work: () => MaybePromise<T>): Promise<Timed<T>> {
  const begin = performance.now();
  const value = await work();
  const end = performance.now();
  return { value, figures: { ms: end - begin, rssMb: peakRssMb(), wallMs: end } };
}

export function peakRssMb(): number {
  return process.resourceUsage().maxRSS / 1024;
}

/** An operation of a store that the workload cannot do without. */
export function operation<Name extends keyof OpenedStore>(
  store: OpenedStore,
  name: Name,
): NonNullable<OpenedStore[Name]> {
  const found = store[name];
  if (found === undefined) throw new Error(`the candidate cannot ${name}`);
  return (found as (...parameters: never[]) => unknown).bind(store) as NonNullable<OpenedStore[Name]>;
}
