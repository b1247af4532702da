/** An object in a store. */
export interface FoundObject {
  key: string;
  /** Bytes. */
  size: number;
  /** Names and values as they were given to {@link Upload}; empty where the store keeps none. */
  metadata: Readonly<Record<string, string>>;
  /** Identifies this object among those of its key (an ETag, a generation): parts are read of this one only. */
  revision: string;
}

/** An object to add. */
export interface Upload {
  /** ASCII letters, digits and `/ . _ - % ~`. */
  key: string;
  /** Bytes. */
  size: number;
  contentType: string;
  /** Names of lower-case ASCII letters and digits, values of printable ASCII. */
  metadata: Readonly<Record<string, string>>;
  /** The bytes from `start` on, `length` of them; may be asked for again, where a try failed, and for several parts at once. They
   * come in `into`, where a store gives a place of that length that it uses again: what is given up is collected late. */
  read(start: number, length: number, into?: Buffer): Promise<Buffer>;
  /** Reports after each part how many bytes the store has acknowledged; fewer again where the upload restarts. */
  sent?(bytes: number): void;
}

/**
 * Result of a removal: the bytes of the object are `freed`, also where there was none; or the store has them still,
 * as an older version or for some time; or does not tell. A lock keeps the object as it is.
 */
export type Removal = "freed" | "retained" | "unknown" | { lockedBy: string };

/** Tells whether a store keeps the bytes of removed objects. */
export interface Keeping {
  /** Undefined where it does not tell, or where it depends on the object. */
  retains: boolean | undefined;
  /** In the middle of a sentence: `the bucket has versioning`. */
  why?: string;
  /** Instructions to free them, as text of several lines. */
  howToFree?: string;
}

/**
 * A bucket, a container or a directory. Keys are below a prefix that only the store knows. Each call tries again what may
 * succeed then (resets, throttling, answers of 5xx), so often and so long as its options say; what it throws in the end is an
 * error of perdura that names the place and shows no secret.
 */
export interface ObjectStore {
  /** The address, without secrets, for messages. */
  readonly place: string;
  /** Makes what a first object needs and the store may make: a directory, but no bucket. */
  prepare?(): Promise<void>;
  /**
   * Adds an object. Until it is whole, it is visible to no reader, also when the process is killed.
   *
   * @returns `exists` where the store has an object of that key, which stays as it is. A store that cannot tell replaces it.
   */
  add(upload: Upload, signal?: AbortSignal): Promise<"added" | "exists">;
  /** Undefined where there is none of that key. */
  look(key: string, signal?: AbortSignal): Promise<FoundObject | undefined>;
  /**
   * Fills a place with bytes from `start` on, and gives it back.
   *
   * @throws StorageError where it was replaced or removed meanwhile, or where fewer bytes come than the object has.
   */
  read(object: FoundObject, start: number, into: Buffer, signal?: AbortSignal): Promise<Buffer>;
  /** Keys and sizes of all objects whose keys begin so, in the order of the keys' bytes. */
  list(prefix: string, signal?: AbortSignal): AsyncIterable<{ key: string; size: number }>;
  /** Does nothing where there is none. */
  remove(key: string, signal?: AbortSignal): Promise<Removal>;
  /** Tells what becomes of the bytes of objects that are removed; absent where they are freed. */
  keeping?(signal?: AbortSignal): Promise<Keeping>;
  /** Ends connections of our own; a client that was given stays open. */
  close(): Promise<void>;
}

/** Limits of requests to a store. */
export interface StoreLimits {
  /** Tries of one request, the first included; 1 to 20. Default 5. */
  tries: number;
  /** Longest time of one try of one request, in milliseconds. Default 60,000. */
  timeoutMs: number;
  /** Bytes of a part; larger objects are sent in parts. Default 8 MiB; at least 5 MiB on S3. */
  partSize: number;
}
