import type { InteractionRecord } from "@perdura/v16";

type Answer<Value> = Value | Promise<Value>;

/** The calls that are measured; those of a database file answer at once. */
export interface Collector {
  recordInteraction(userId: string, level: number, success: boolean, responseTimeMs: number): Answer<unknown>;
  recordMany(records: Iterable<InteractionRecord>): Answer<unknown>;
  getUserStats(userId: string): Answer<unknown>;
  getUserTrend(userId: string): Answer<unknown>;
  getGlobalStats(): Answer<unknown>;
  getGlobalTrend(): Answer<unknown>;
  getAllUsers(): Answer<unknown>;
}

/** Interactions of one size in one kind of database. */
export interface Filled {
  collector: Collector;
  /** Size of all tables and indexes of perdura, in bytes. */
  bytes: number;
  /** Duration of making the sums of all interactions, in milliseconds; null if it was not measured. */
  sumsMs: number | null;
  /** Removes everything. */
  close(): Promise<void>;
}

/** A kind of database. */
export interface Engine {
  name: string;
  /** Creates interactions of `users` users, whose sums are up to date. */
  fill(directory: string, rows: number, users: number): Promise<Filled>;
}
