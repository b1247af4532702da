import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary_folder.ts";
import { rmSync } from "node:fs";
import { openStore, perduraServer } from "../src/index.ts";

/** The official suite, which speaks HTTP only. */
const SUITE = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json")),
  "dist/index.js",
);

/** The scenarios that do not ask for tools, resources or prompts of the suite's own. */
const SCENARIOS = ["server-initialize", "ping", "tools-list"];

const folder = temporaryFolder();
const http = createServer((request, response) => void answer(request, response));
let handler: ReturnType<typeof createMcpHandler>;
let close: () => Promise<void>;

beforeAll(async () => {
  const store = await openStore(folder, { write: true });
  handler = createMcpHandler(() => perduraServer(store, { write: true }));
  close = () => store.close();
  await once(http.listen(0, "127.0.0.1"), "listening");
});

afterAll(async () => {
  http.close();
  http.closeAllConnections();
  await close();
  rmSync(folder, { recursive: true });
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat((await request.toArray()) as Buffer[]);
  const headers = Object.entries(request.headers) as [string, string][];
  const { method = "GET" } = request;
  const sent = { method, headers, ...(body.length === 0 ? {} : { body }) };
  const { status, headers: received, body: stream } = await handler.fetch(new Request(`${address()}/mcp`, sent));
  response.writeHead(status, Object.fromEntries(received));
  if (stream !== null) for await (const piece of stream) response.write(piece);
  response.end();
}

const address = (): string => `http://127.0.0.1:${(http.address() as AddressInfo).port}`;

test.for(SCENARIOS)("passes the scenario %s of the official suite", async (scenario) => {
  const words = [SUITE, "server", "--url", `${address()}/mcp`, "--scenario", scenario];
  const suite = spawn(process.execPath, words, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const [output, [code]] = await Promise.all([suite.stdout.toArray(), once(suite, "close") as Promise<[number]>]);
  expect(Buffer.concat(output as Buffer[]).toString()).toContain("1/1, 0 failed");
  expect(code).toBe(0);
});
