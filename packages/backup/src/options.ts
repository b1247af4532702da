import { runCallerCode } from "@perdura/internals/errors/caller_errors.js";
import { ValidationError } from "@perdura/internals/errors/errors.js";
import { assertPath } from "@perdura/internals/files/places.js";
import { describe } from "@perdura/internals/text/describe.js";
import { assertOptions } from "@perdura/internals/text/options.js";
import { assertClock, type Clock, systemClock } from "@perdura/internals/text/timestamps.js";
import { tmpdir } from "node:os";
import type { StoreLimits } from "./stores/object_store.ts";

/** Progress of a backup, a restore or a verification. */
export interface BackupProgress {
  /** The current stage; `check` reads a new version back. */
  stage: "snapshot" | "upload" | "check" | "download";
  /** The name of the library. */
  name: string;
  /** Number of bytes; 0 of 0 during a snapshot. */
  done: number;
  total: number;
}

/** Settings of a store of backups. */
export interface BackupStoreOptions extends Partial<Omit<StoreLimits, "partSize">> {
  /** The bucket or container, for a client that the caller passed. */
  bucket?: string | undefined;
  /** Beginning of all keys, for a client that the caller passed, for example `team-a/agents`. */
  prefix?: string | undefined;
  /** Directory of snapshots while they are stored; the system's temporary directory by default. */
  temporaryDirectory?: string | undefined;
  /** Maximum wait for other programs that hold an SQLite database, in milliseconds; 30,000 by default. */
  busyTimeoutMs?: number | undefined;
  /** Clock for new backups; the system's by default. */
  clock?: Clock | undefined;
  /**
   * Called after each piece. An exception ends the work and is thrown unchanged; a version whose last byte was already
   * stored stays.
   */
  onProgress?: ((progress: BackupProgress) => void) | undefined;
}

/** {@link BackupStoreOptions} with every default filled in. */
export interface CheckedOptions extends StoreLimits {
  bucket: string | undefined;
  prefix: string | undefined;
  temporaryDirectory: string;
  busyTimeoutMs: number;
  clock: Clock;
  onProgress: (progress: BackupProgress) => void;
}

const KNOWN = ["bucket", "prefix", "temporaryDirectory", "busyTimeoutMs", "clock", "onProgress", "tries", "timeoutMs"];

/** Size of a part. Two parts are in memory; a store uses larger ones for an object that would have too many. */
const PART_SIZE = 8 << 20;
const MAX_WAIT_MS = 2 ** 31 - 1;

/** @throws ValidationError naming the option. */
export function checkedOptions(options: BackupStoreOptions = {}): CheckedOptions {
  assertOptions("options", options, KNOWN);
  const { bucket, prefix, temporaryDirectory = tmpdir(), clock = systemClock, onProgress = () => {} } = options;
  assertPath("temporaryDirectory", temporaryDirectory);
  assertClock(clock);
  if (typeof onProgress !== "function") refuse("onProgress", "a function", onProgress);
  if (bucket !== undefined && (typeof bucket !== "string" || bucket === ""))
    refuse("bucket", "the name of a bucket or container", bucket);
  if (prefix !== undefined && typeof prefix !== "string") refuse("prefix", "a string", prefix);
  return {
    bucket,
    prefix,
    temporaryDirectory,
    clock,
    onProgress: (progress) => runCallerCode(() => onProgress(progress)),
    busyTimeoutMs: whole("busyTimeoutMs", options.busyTimeoutMs, 30_000, 0, MAX_WAIT_MS),
    tries: whole("tries", options.tries, 5, 1, 20),
    timeoutMs: whole("timeoutMs", options.timeoutMs, 60_000, 1, MAX_WAIT_MS),
    partSize: PART_SIZE,
  };
}

function whole(name: string, value: unknown, preset: number, least: number, most: number): number {
  if (value === undefined) return preset;
  if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
  return refuse(name, `a whole number from ${least} to ${most}`, value);
}

function refuse(name: string, expected: string, value: unknown): never {
  throw new ValidationError(`expected ${expected}, got ${describe(value)}.`, { argument: name });
}
