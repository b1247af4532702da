import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { freshFolder } from "../../fresh_folder.ts";
import { skipWithout } from "../../needs.ts";
import { startNpmRegistry } from "../src/npm/registry.ts";
import { selfSigned } from "../src/self_signed.ts";

/** A registry with a certificate that Node.js does not trust; undefined without `openssl`. */
async function privateRegistry(): Promise<{ certificate: string } | undefined> {
  const files = await selfSigned(freshFolder());
  if (files === undefined) return undefined;
  const server = createServer(
    { cert: readFileSync(files.certificate), key: readFileSync(files.key) },
    ({ url = "" }, response) => {
      const name = url.slice(1);
      const version = { name, version: "1.0.0", dist: { tarball: "", shasum: "" } };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ name, "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } }));
    },
  );
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  onTestFinished(() => void vi.unstubAllEnvs());
  await once(server.listen(0, "127.0.0.1"), "listening");
  vi.stubEnv("npm_config_registry", `https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return files;
}

async function expectForwarding(): Promise<void> {
  const registry = await startNpmRegistry();
  onTestFinished(() => registry.stop());
  expect(await (await fetch(new URL("other", registry.url))).json()).toMatchObject({ name: "other" });
}

test("the registry of tests trusts the file of certificates in npm's settings", async (context) => {
  const files = await privateRegistry();
  if (files === undefined) return skipWithout("openssl", context);
  vi.stubEnv("npm_config_cafile", files.certificate);
  await expectForwarding();
});

test("the registry of tests checks no certificate without strict-ssl in npm's settings", async (context) => {
  if ((await privateRegistry()) === undefined) return skipWithout("openssl", context);
  vi.stubEnv("npm_config_strict_ssl", "false");
  await expectForwarding();
});

test("the registry of tests does not start if it cannot read from the one of npm's settings, and says why", async (context) => {
  if ((await privateRegistry()) === undefined) return skipWithout("openssl", context);
  vi.stubEnv("npm_config_cafile", "");
  await expect(startNpmRegistry()).rejects.toThrow(
    /self-signed certificate[\s\S]*cannot be read from the registry of your npm settings/,
  );
});
