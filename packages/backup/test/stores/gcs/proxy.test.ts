import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { startGcs } from "@perdura/test-servers/gcs/gcs_server.js";
import { expect, test, vi } from "vitest";
import { openGcsStore } from "../../../src/stores/gcs/gcs_store.ts";
import { LIMITS, bytesOf, uploadOf } from "./target.ts";
import { needs } from "../../../../../test/needs.ts";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

/** Older versions of Node.js do not support proxies. */
const KNOWS_PROXIES = major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21);

test("uses the proxy of the environment", needs("proxies", !KNOWS_PROXIES), async () => {
  const server = await startGcs({ buckets: [{ name: "kept" }], anonymous: true });
  const asked: string[] = [];
  const proxy = createServer((from, to) => {
    const url = new URL(from.url ?? "");
    asked.push(url.host);
    const { "proxy-connection": _, ...headers } = from.headers;
    const onward = request(
      server.endpoint + url.pathname + url.search,
      { method: from.method ?? "", headers },
      (answer) => {
        to.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(to);
      },
    );
    from.pipe(onward);
  }).listen(0, "127.0.0.1");
  await expect.poll(() => proxy.listening).toBe(true);
  vi.stubEnv("HTTP_PROXY", `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  vi.stubEnv("NO_PROXY", "");
  vi.stubEnv("STORAGE_EMULATOR_HOST", "http://storage.example.test");
  try {
    const store = await openGcsStore({ bucket: "kept" }, LIMITS);
    await store.add(uploadOf("a", "by way of a proxy"));
    expect((await bytesOf(store, "a")).toString()).toBe("by way of a proxy");
    expect(new Set(asked)).toEqual(new Set(["storage.example.test"]));
    await store.close();
  } finally {
    vi.unstubAllEnvs();
    proxy.close();
    proxy.closeAllConnections();
    await server.stop();
  }
});
