import type { Access } from "@perdura/internals/files/access.js";

/** An object in a store. */
export interface FoundObject {
  key: string;
  /** Size in bytes. */
  size: number;
  /** Names and values of the {@link Upload}; empty if the store keeps none. */
  metadata: Readonly<Record<string, string>>;
  /** Identifies this object among those of its key (an ETag, a generation), so that all parts are read from it. */
  revision: string;
}

/** An object to add. */
export interface Upload {
  /** ASCII letters, digits and `/ . _ - % ~`. */
  key: string;
  /** Size in bytes. */
  size: number;
  contentType: string;
  /** Names of lower-case ASCII letters and digits, values of printable ASCII. */
  metadata: Readonly<Record<string, string>>;
  /**
   * Reads `length` bytes from `start` on. It may be called again after a failed try, and for several parts at once. The
   * bytes are read into `into` if the store passes a buffer of that length, which it reuses because V8 releases
   * discarded buffers late.
   */
  read(start: number, length: number, into?: Buffer): Promise<Buffer>;
  /** Owner, group and mode of the stored file, for a store of files; by default those of this user and the umask. */
  access?: Access;
  /**
   * Reports after each part the number of bytes that the store has acknowledged; a smaller number if the upload
   * restarts.
   */
  sent?(bytes: number): void;
}

/**
 * Result of a removal: the bytes of the object are `freed`, also if it did not exist; or the store still has them, as
 * an older version or for some time; or it does not report it. A lock keeps the object unchanged.
 */
export type Removal = "freed" | "retained" | "unknown" | { lockedBy: string };

/** Describes whether a store keeps the bytes of removed objects. */
export interface Retention {
  /** Undefined if the store does not report it, or if it depends on the object. */
  retains: boolean | undefined;
  /** Reason for the middle of a sentence: `the bucket has versioning`. */
  why?: string;
  /** Instructions to free them, several lines of text. */
  howToFree?: string;
}

/**
 * A bucket, a container or a directory. Keys are below a prefix that only the store knows. Each call retries failures
 * that may pass (resets, throttling, status 5xx), within the limits of its options; the final error is an error of
 * perdura that names the place and shows no secret.
 */
export interface ObjectStore {
  /** The address, without secrets, for messages. */
  readonly place: string;
  /** Creates what a first object needs, if the store may create it: a directory, but not a bucket. */
  prepare?(): Promise<void>;
  /**
   * Adds an object. No reader sees it until it is complete, even if the process is killed.
   *
   * @returns `exists` if the store has an object of that key, which stays unchanged. A store that cannot check this
   * replaces it.
   */
  add(upload: Upload, signal?: AbortSignal): Promise<"added" | "exists">;
  /** Finds an object; undefined if the key does not exist. */
  find(key: string, signal?: AbortSignal): Promise<FoundObject | undefined>;
  /**
   * Fills a buffer with bytes from `start` on, and returns it.
   *
   * @throws StorageError when the object was replaced or removed, or when fewer bytes arrive than it has.
   */
  read(object: FoundObject, start: number, into: Buffer, signal?: AbortSignal): Promise<Buffer>;
  /** Lists keys and sizes of all objects whose keys have the prefix, in the order of the keys' bytes. */
  list(prefix: string, signal?: AbortSignal): AsyncIterable<{ key: string; size: number }>;
  /** Removes an object; does nothing if it does not exist. */
  remove(key: string, signal?: AbortSignal): Promise<Removal>;
  /** Reports what happens to the bytes of removed objects; absent if they are freed. */
  retention?(signal?: AbortSignal): Promise<Retention>;
  /** Closes our own connections; a client that the caller passed stays open. */
  close(): Promise<void>;
}

/** Limits of requests to a store. */
export interface StoreLimits {
  /** Maximum number of tries of one request, including the first; 1 to 20. Default 5. */
  tries: number;
  /** Timeout of one try of one request, in milliseconds. Default 60,000. */
  timeoutMs: number;
  /** Size of a part in bytes; larger objects are sent in parts. At least 5 MiB on S3. */
  partSize: number;
}
