import { createHash } from "node:crypto";
import { once } from "node:events";
import { Agent, createServer, request as ask } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startFaultyProxy } from "../../src/faulty_proxy/faulty_proxy.ts";
import type { FaultyProxy } from "../../src/faulty_proxy/faulty_proxy.ts";
import { until } from "../../src/processes/until.ts";

/** Requests that the server behind the proxy has received, in full. */
interface Received {
  line: string;
  headers: string[];
  body: Buffer;
}

let proxy: FaultyProxy;
let received: Received[];
let stopServer: () => Promise<unknown>;

/** Answer of the server. */
const ANSWER = Buffer.from("0123456789".repeat(20_000));

beforeEach(async () => {
  received = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const line = `${request.method} ${request.url}`;
      received.push({ line, headers: request.rawHeaders, body: Buffer.concat(pieces) });
      response.writeHead(201, "Made", ["X-Twice", "1", "X-Twice", "2", "Content-Length", `${ANSWER.length}`]);
      response.end(ANSWER);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  proxy = await startFaultyProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  stopServer = () => {
    server.closeAllConnections();
    return once(server.close(), "close");
  };
});

afterEach(async () => {
  await proxy.stop();
  await stopServer();
});

describe("a proxy without faults", () => {
  test("forwards method, path, headers and body unchanged", async () => {
    const body = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index * 7));
    const headers = ["Host", "somewhere:1", "x-CASE", "a", "x-CASE", "b", "Content-Length", `${body.length}`];
    const answer = await send("PUT", "/a%2Fb//c/../d?x=%20&y", headers, body);
    expect(received).toEqual([{ line: "PUT /a%2Fb//c/../d?x=%20&y", headers: expect.anything(), body }]);
    expect(received[0]?.headers.slice(0, headers.length)).toEqual(headers);
    expect(answer).toMatchObject({ status: 201, text: "Made" });
    expect(answer.headers.slice(0, 6)).toEqual(["X-Twice", "1", "X-Twice", "2", "Content-Length", `${ANSWER.length}`]);
    expect(answer.body.equals(ANSWER)).toBe(true);
    expect(proxy.requests).toEqual(["PUT /a%2Fb//c/../d?x=%20&y"]);
  });

  test("forwards bodies of unknown length, and answers to HEAD", async () => {
    const body = Buffer.alloc(200_000, 7);
    expect((await send("POST", "/", ["Host", "h", "Transfer-Encoding", "chunked"], body)).status).toBe(201);
    expect(received[0]?.body.equals(body)).toBe(true);
    const head = await send("HEAD", "/");
    expect([head.status, head.body.length]).toEqual([201, 0]);
  });
});

test("a proxy reads the whole request even if the server answers before it has read it", async () => {
  const hasty = createServer((_request, response) => void response.writeHead(404).end());
  await once(hasty.listen(0, "127.0.0.1"), "listening");
  const before = await startFaultyProxy(`http://127.0.0.1:${(hasty.address() as AddressInfo).port}`);
  // One connection, which is free again once the body has been sent.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let time = 0; time < 2; time += 1) {
    const request = ask(`${before.url}/`, { method: "PUT", headers: { "Content-Length": 30_000_000 }, agent });
    request.end(Buffer.alloc(30_000_000));
    const [answer] = await once(request, "response");
    expect(answer.statusCode).toBe(404);
    answer.resume();
  }
  agent.destroy();
  await before.stop();
  hasty.closeAllConnections();
  hasty.close();
});

describe("a proxy with a fault", () => {
  test("resets the connection before the server receives the request", async () => {
    proxy.faults.next({ reset: "before" });
    await expect(send("PUT", "/")).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(received).toEqual([]);
    expect((await send("PUT", "/")).status).toBe(201);
    expect(proxy.requests).toHaveLength(2);
  });

  test("drops the answer", async () => {
    proxy.faults.next({ reset: "after" });
    await expect(send("PUT", "/")).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(received).toHaveLength(1);
  });

  test("answers instead of the server, for the given number of requests", async () => {
    proxy.faults.next({ answer: { status: 503, headers: { "Retry-After": "1" }, body: "busy" } }, 2);
    for (let time = 0; time < 2; time += 1) {
      const answer = await send("PUT", "/", ["Host", "h", "Content-Length", "400000"], Buffer.alloc(400_000));
      expect([answer.status, `${answer.body}`]).toEqual([503, "busy"]);
      expect(answer.headers).toContain("Retry-After");
    }
    expect([received.length, proxy.faults.left]).toEqual([0, 0]);
    expect((await send("PUT", "/")).status).toBe(201);
  });

  test.each(["before", "body"] as const)("lets requests hang (%s)", async (hang) => {
    proxy.faults.next({ hang });
    const pieces: Buffer[] = [];
    const enough = new AbortController();
    const sent = send("GET", "/", ["Host", "h"], undefined, { pieces, signal: enough.signal });
    const bytes = (): number => Buffer.concat(pieces).length;
    await until("half an answer", () => proxy.faults.left === 0 && (hang === "before" || bytes() >= ANSWER.length / 2));
    enough.abort();
    await expect(sent).rejects.toMatchObject({ code: hang === "before" ? "ABORT_ERR" : expect.any(String) });
    expect([received.length, bytes()]).toEqual(hang === "before" ? [0, 0] : [1, ANSWER.length / 2]);
  });

  test("ends the body of an answer early", async () => {
    for (const truncate of [0, 70_001]) {
      proxy.faults.next({ truncate });
      const pieces: Buffer[] = [];
      await expect(send("GET", "/", ["Host", "h"], undefined, { pieces })).rejects.toMatchObject({
        code: "ECONNRESET",
      });
      expect(Buffer.concat(pieces).equals(ANSWER.subarray(0, truncate))).toBe(true);
    }
  });

  test("flips one bit of an answer, and of a request", async () => {
    proxy.faults.next({ flip: "answer", at: 150_000 });
    const { body } = await send("GET", "/");
    expect(differences(body, ANSWER)).toEqual([150_000]);
    proxy.faults.next({ flip: "request" });
    const sent = Buffer.alloc(100_000);
    await send("PUT", "/", ["Host", "h", "Content-Length", "100000"], sent);
    expect(differences(received.at(-1)?.body as Buffer, sent)).toHaveLength(1);
  });

  test("applies only to matching requests, after the given number of them", async () => {
    proxy.faults.when({ method: "PUT", url: /block$/, after: 1 }, { answer: { status: 429 } });
    proxy.faults.when({ method: "PUT", url: /block$/, after: 2 }, { answer: { status: 503 } });
    const asked = ["GET /block", "PUT /other", "PUT /block", "PUT /block", "PUT /block", "PUT /block", "PUT /block"];
    const states = [];
    for (const each of asked) states.push((await send(...(each.split(" ") as [string, string]))).status);
    expect(states).toEqual([201, 201, 201, 429, 201, 503, 201]);
    proxy.faults.next({ reset: "before" });
    proxy.faults.clear();
    expect((await send("GET", "/")).status).toBe(201);
  });
});

/** Sends a request through the proxy, on its own connection; stores pieces of the answer's body in `pieces`. */
async function send(
  method: string,
  path: string,
  headers: string[] = ["Host", "h"],
  body?: Buffer,
  { pieces = [], signal }: { pieces?: Buffer[]; signal?: AbortSignal } = {},
) {
  const { hostname, port } = new URL(proxy.url);
  const request = ask({ hostname, port, method, path, headers, agent: false, ...(signal && { signal }) });
  request.end(body);
  const [answer] = await once(request, "response");
  for await (const piece of answer) pieces.push(piece as Buffer);
  const { statusCode, statusMessage, rawHeaders } = answer;
  return {
    status: statusCode as number,
    text: statusMessage as string,
    headers: rawHeaders as string[],
    body: Buffer.concat(pieces),
  };
}

/** Offsets at which two bodies of one length differ. */
function differences(one: Buffer, other: Buffer): number[] {
  expect(createHash("sha256").update(one).digest("hex")).not.toBe(createHash("sha256").update(other).digest("hex"));
  expect(one.length).toBe(other.length);
  return [...one.keys()].filter((at) => one[at] !== other[at]);
}
