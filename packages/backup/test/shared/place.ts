import type { Bucket } from "@google-cloud/storage";
import type { FaultyProxy } from "@perdura/test-servers/faulty_proxy/faulty_proxy.js";

/** Where a suite keeps its backups. */
export interface Place {
  address: string;
  /** Of the same kind, and not there. */
  missing: string;
  /** What leads to it, beside the address. */
  environment: Record<string, string>;
  /** Credentials that are refused, in the environment or in a client; absent where nobody asks for any. */
  wrong?: { secret: string; environment?: Record<string, string>; client?: Bucket };
  /** On the way to the server; absent where there is none. */
  proxy?: FaultyProxy;
  stop(): Promise<void>;
}
