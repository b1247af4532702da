import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Exchange } from "./exchange.ts";
import { Faults } from "./faults.ts";
import type { Fault } from "./faults.ts";
import { Refusal } from "./refusal.ts";
import { ResumableUploads } from "./resumable_uploads.ts";
import { route } from "./routes.ts";
import { Store } from "./store.ts";
import type { BucketOptions } from "./store.ts";
import { Tokens } from "./tokens.ts";
import type { AccessOptions } from "./tokens.ts";

export interface GcsOptions extends AccessOptions {
  buckets: readonly BucketOptions[];
  /** Maximum number of objects on one page of a list; 1000, as in Google's service, by default. */
  pageSize?: number;
  /** Address of the server that receives resumable uploads, if it is another one: `http://127.0.0.1:PORT`. */
  sessionsAt?: string;
}

/** A server with Google's JSON API for Cloud Storage, in this process. It refuses whatever it does not implement. */
export interface GcsServer {
  /** `http://127.0.0.1:PORT`, which `STORAGE_EMULATOR_HOST` accepts as well. */
  readonly endpoint: string;
  /** Address of the token server. */
  readonly tokenUrl: string;
  /** Every received request: `PUT /upload/… bytes 0-262143/*`. */
  readonly requests: readonly string[];
  readonly faults: Faults;
  readonly store: Store;
  readonly uploads: ResumableUploads;
  readonly tokens: Tokens;
  /** Number of open connections. */
  connections(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a server on a free port of 127.0.0.1. */
export async function startGcs(options: GcsOptions): Promise<GcsServer> {
  const store = await Store.create(options.buckets);
  const faults = new Faults();
  const requests: string[] = [];
  const house = { store, uploads: new ResumableUploads(store), tokens: new Tokens(options), endpoint: "", options };
  const server = createServer((request, response) => {
    requests.push([request.method, request.url, request.headers["content-range"] ?? ""].join(" ").trim());
    const url = new URL(request.url ?? "/", house.endpoint);
    void answer({ request, response, url, fault: faults.take(request) }, (exchange) => route(exchange, house));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  house.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...house,
    tokenUrl: `${house.endpoint}/token`,
    requests,
    faults,
    connections: () =>
      new Promise((settle, fail) => server.getConnections((error, n) => (error ? fail(error) : settle(n)))),
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      store.dispose();
    },
  };
}

async function answer(exchange: Exchange, handle: (exchange: Exchange) => Promise<void>): Promise<void> {
  const { request, response, fault } = exchange;
  // The connection of a request whose body was aborted may be gone.
  const { socket } = request;
  try {
    if (fault?.kind === "reset") socket.resetAndDestroy();
    else if (fault?.kind === "answer" || fault?.kind === "silence") await refuseOnPurpose(request, response, fault);
    else {
      // The answer is discarded, but the request is processed completely.
      if (losesAnswer(fault)) loseAll(response);
      await handle(exchange);
      if (losesAnswer(fault)) socket.resetAndDestroy();
    }
  } catch (error) {
    if (fault?.kind === "resetAfter" || losesAnswer(fault)) socket.resetAndDestroy();
    else if (!socket.destroyed) await refuse(request, response, error);
  }
}

function losesAnswer(fault: Fault | undefined): boolean {
  return fault?.kind === "lostAnswer" || (fault?.kind === "corruptUnseen" && fault.losesAnswer === true);
}

function loseAll(response: ServerResponse): void {
  response.write = ((_bytes: unknown, done?: () => void) => {
    done?.();
    return true;
  }) as typeof response.write;
  response.end = () => response;
}

async function refuseOnPurpose(
  request: IncomingMessage,
  response: ServerResponse,
  fault: Extract<Fault, { kind: "answer" | "silence" }>,
): Promise<void> {
  if (fault.kind === "silence") return drained(request);
  const { status, reason = "backendError", message = "requested by a test", headers = {} } = fault;
  await drained(request);
  response.writeHead(status, { "content-type": "application/json; charset=UTF-8", ...headers });
  response.end(new Refusal(status, reason, message).json);
}

async function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): Promise<void> {
  const refusal =
    error instanceof Refusal ? error : new Refusal(500, "internalError", `The test server failed: ${String(error)}`);
  if (response.headersSent) {
    request.socket.destroy();
    return;
  }
  await drained(request);
  response.writeHead(refusal.status, { "content-type": "application/json; charset=UTF-8" });
  response.end(refusal.json);
}

/** An answer before the end of the request could be lost: the connection would be reset while the client is sending. */
async function drained(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  request.resume();
  await new Promise<void>((settle) => request.once("end", settle).once("close", settle));
}
