import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { NodeProcess } from "../processes/node_process.ts";

/** Megabytes for all blobs together; more than the default on a small machine. */
const MEMORY = 2048;

const WORDS = [
  "--blobHost=127.0.0.1",
  "--blobPort=0",
  // The SDK can be newer than Azurite's newest known version.
  "--skipApiVersionCheck",
  "--inMemoryPersistence",
  `--extentMemoryLimit=${MEMORY}`,
  "--disableTelemetry",
  "--disableProductStyleUrl",
  "--silent",
];

const require = createRequire(import.meta.url);

/**
 * A server with the protocol of Azure Blob Storage. It keeps nothing after its end, and ends with our process at the
 * latest.
 */
export interface Azurite {
  /** Address of the blob endpoint for the SDK: with the account as the first part of its path. */
  readonly endpoint: string;
  readonly account: string;
  /** In base64. */
  readonly key: string;
  readonly connectionString: string;
  readonly pid: number;
  /** The connection string for clients that connect through a proxy; `url` is without the account. */
  connectionStringBy(url: string): string;
  stop(): Promise<void>;
}

/**
 * Starts Azurite on a free port of 127.0.0.1, which takes about a second, with its own account.
 *
 * @throws Error with its last output if it does not start.
 */
export async function startAzurite(): Promise<Azurite> {
  const account = `account${randomBytes(4).toString("hex")}`;
  const key = randomBytes(64).toString("base64");
  const program = require.resolve("azurite/dist/src/blob/main.js");
  const server = new NodeProcess("Azurite", [program, ...WORDS], { AZURITE_ACCOUNTS: `${account}:${key}` });
  const url = await server.listening(/successfully listens on (http:\S+)/);
  const connectionStringBy = (by: string): string =>
    [
      `DefaultEndpointsProtocol=${new URL(by).protocol.slice(0, -1)}`,
      `AccountName=${account}`,
      `AccountKey=${key}`,
      `BlobEndpoint=${new URL(`/${account}`, by).href}`,
    ].join(";");
  return {
    endpoint: `${url}/${account}`,
    account,
    key,
    connectionString: connectionStringBy(url),
    pid: server.pid,
    connectionStringBy,
    stop: () => server.stop(),
  };
}
