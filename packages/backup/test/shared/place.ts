import type { Bucket } from "@google-cloud/storage";
import type { FaultyProxy } from "@perdura/test-servers/faulty_proxy/faulty_proxy.js";

/** Place of a suite's backups. */
export interface Place {
  address: string;
  /** Address of the same kind that does not exist. */
  missing: string;
  /** Environment that is necessary in addition to the address. */
  environment: Record<string, string>;
  /**
   * Credentials that are refused, in the environment or in a client; absent if the place does not require credentials.
   */
  wrong?: { secret: string; environment?: Record<string, string>; client?: Bucket };
  /** Between client and server; absent without a proxy. */
  proxy?: FaultyProxy;
  stop(): Promise<void>;
}
