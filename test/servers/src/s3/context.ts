import type { Seed } from "./authentication/authenticate.ts";
import type { Received } from "./body/receive.ts";
import type { Call } from "./call.ts";
import type { Bucket, State } from "./state.ts";

/** What an operation works with. */
export interface Context {
  call: Call;
  seed: Seed;
  state: State;
  now(): Date;
  /** How preconditions on writes are dealt with. */
  preconditions: "kept" | "ignored" | "refused";
  /** Reads the body and verifies it. */
  receive(): Promise<Received>;
}

/** An operation on something in a bucket. */
export interface BucketContext extends Context {
  bucket: Bucket;
}

/** An operation on a key. */
export interface KeyContext extends BucketContext {
  key: string;
}
