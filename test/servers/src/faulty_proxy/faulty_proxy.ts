import { once } from "node:events";
import { createServer, request as ask } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { cutAfter, flipped } from "./changed_body.ts";
import { Faults } from "./faults.ts";
import type { Fault } from "./faults.ts";

/** A proxy in front of an HTTP server that forwards everything unchanged, except for the injected faults. */
export interface FaultyProxy {
  /** Without a path. */
  readonly url: string;
  readonly faults: Faults;
  /** All received requests, including those that were not forwarded: `GET /path?query`. */
  readonly requests: string[];
  /** Closes all connections. */
  stop(): Promise<void>;
}

/** @param target The server's URL; its path does not matter. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const { hostname, port } = new URL(target);
  const [faults, requests]: [Faults, string[]] = [new Faults(), []];
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    requests.push(`${request.method} ${request.url}`);
    const fault = faults.take(request);
    if (fault !== undefined && withoutServer(fault, request, response)) return;
    passOn(request, response, { hostname: hostname.replaceAll(/[[\]]/g, ""), port }, fault);
  };
  const proxy = createServer({ requestTimeout: 0, headersTimeout: 0 }, handle);
  proxy.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    response.writeContinue();
    handle(request, response);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    faults,
    requests,
    stop: async () => {
      proxy.close();
      proxy.closeAllConnections();
      await once(proxy, "close");
    },
  };
}

/** Injects a fault that does not need the server. @returns False for other faults. */
function withoutServer(fault: Fault, request: IncomingMessage, response: ServerResponse): boolean {
  if ("reset" in fault && fault.reset === "before") request.socket.resetAndDestroy();
  else if ("hang" in fault && fault.hang === "before") request.resume();
  else if ("answer" in fault) {
    const { status, headers = {}, body = "" } = fault.answer;
    request.resume();
    // Some clients treat an answer before the end of their request as a broken connection.
    request.once("end", () => {
      response.writeHead(status, { "Content-Length": Buffer.byteLength(body), ...headers });
      response.end(request.method === "HEAD" ? "" : body);
    });
  } else return false;
  return true;
}

function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  target: { hostname: string; port: string },
  fault: Fault | undefined,
): void {
  const onward = ask({
    ...target,
    method: request.method,
    path: request.url,
    // A list keeps all headers as received, including repeated ones.
    headers: request.rawHeaders,
    setDefaultHeaders: false,
    agent: false,
  });
  const broken = (): void => void request.socket.destroy();
  onward.on("error", broken);
  onward.on("response", (answer) => {
    answer.on("error", broken);
    if (fault !== undefined && "reset" in fault) {
      // The server has processed the whole request.
      answer.resume().once("end", () => request.socket.resetAndDestroy());
      return;
    }
    giveBack(answer, response, request, fault);
  });
  // A request is aborted when its client disconnects.
  response.on("close", () => onward.destroy());
  const body = flipped(fault, "request");
  // A server may answer before it has read everything; the client still sends its whole body.
  onward.on("close", () => {
    request.unpipe(body);
    request.resume();
  });
  request.pipe(body).pipe(onward);
}

function giveBack(
  answer: IncomingMessage,
  response: ServerResponse,
  request: IncomingMessage,
  fault: Fault | undefined,
): void {
  response.sendDate = false;
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
  if (fault !== undefined && "hang" in fault) {
    const half = Math.floor(Number(answer.headers["content-length"] ?? 0) / 2);
    response.flushHeaders();
    answer.pipe(cutAfter(half, () => {})).pipe(response);
    return;
  }
  const limit = fault !== undefined && "truncate" in fault ? fault.truncate : undefined;
  const cut = cutAfter(limit, () => request.socket.destroySoon());
  answer.pipe(flipped(fault, "answer")).pipe(cut).pipe(response);
}
