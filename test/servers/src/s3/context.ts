import type { Seed } from "./authentication/authenticate.ts";
import type { Received } from "./body/receive.ts";
import type { Call } from "./call.ts";
import type { Bucket, State } from "./state.ts";

/** Input of an operation. */
export interface Context {
  call: Call;
  seed: Seed;
  state: State;
  now(): Date;
  /** Treatment of preconditions on writes. */
  preconditions: "kept" | "ignored" | "refused";
  /** Reads the body and verifies it. */
  receive(): Promise<Received>;
}

/** An operation on a bucket or its content. */
export interface BucketContext extends Context {
  bucket: Bucket;
}

/** An operation on a key. */
export interface KeyContext extends BucketContext {
  key: string;
}
