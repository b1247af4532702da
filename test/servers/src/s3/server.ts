import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { newServerDirectory, removeServerDirectory } from "../processes/server_directory.ts";
import type { S3Credentials } from "./authentication/authenticate.ts";
import { Faults } from "./faults.ts";
import { handle } from "./handle.ts";
import type { Service } from "./handle.ts";
import { Bucket, State } from "./state.ts";
import type { DefaultRetention, Versioning } from "./state.ts";
import type { Vendor } from "./vendors.ts";

export interface S3Options {
  /** Credentials with all permissions; `test` by default. */
  credentials?: S3Credentials;
  /** `us-east-1` by default. */
  region?: string;
  /** `backups` by default. */
  buckets?: readonly string[];
  /** Versioning of all buckets; none by default. */
  versioning?: Versioning;
  /** Object Lock on all buckets, with this retention for new versions, or without one if it is null. */
  objectLock?: DefaultRetention | null;
  /** Buckets in other regions, to which this server redirects. */
  bucketsElsewhere?: Readonly<Record<string, string>>;
  /** Milliseconds by which this server's clock is ahead. */
  clockOffset?: number;
  /** Ignores If-Match and If-None-Match of writes, as many S3-compatible servers do. */
  ignoresPreconditions?: boolean;
  /** Answers them with 501. */
  refusesPreconditions?: boolean;
  /** Refuses what the store of another vendor refuses. */
  vendor?: Vendor;
}

/** A server with the behaviour of S3, in this process. */
export interface S3Server {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: Readonly<S3Credentials>;
  readonly faults: Faults;
  /** Its content, without authentication. */
  readonly state: State;
  /** May be changed while it runs. */
  clockOffset: number;
  /** Number of open connections. */
  connections(): Promise<number>;
  stop(): Promise<void>;
}

export async function startS3(options: S3Options = {}): Promise<S3Server> {
  const directory = newServerDirectory("s3");
  const { region = "us-east-1", clockOffset = 0, ignoresPreconditions = false, refusesPreconditions = false } = options;
  const credentials = options.credentials ?? {
    accessKeyId: "AKIATEST",
    secretAccessKey: randomBytes(20).toString("hex"),
  };
  const now = (): Date => new Date(Date.now() + service.clockOffset);
  const service: Service & { clockOffset: number } = {
    host: "",
    credentials,
    region,
    elsewhere: options.bucketsElsewhere ?? {},
    clockOffset,
    vendor: options.vendor,
    now,
    preconditions: refusesPreconditions ? "refused" : ignoresPreconditions ? "ignored" : "kept",
    state: new State(
      (options.buckets ?? ["backups"]).map(
        (name) => new Bucket(name, new Date(), options.versioning, options.objectLock),
      ),
      directory,
    ),
    faults: new Faults(),
  };
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    // Reached only if a client aborts: its request can be neither read nor answered.
    handle(service, request, response).catch(() => response.destroy());
  });
  // Tests set their own timeouts.
  server.requestTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  service.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    endpoint: `http://${service.host}`,
    region,
    credentials,
    faults: service.faults,
    state: service.state,
    get clockOffset() {
      return service.clockOffset;
    },
    set clockOffset(milliseconds) {
      service.clockOffset = milliseconds;
    },
    connections: promisify(server.getConnections.bind(server)),
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      removeServerDirectory(directory);
    },
  };
}
