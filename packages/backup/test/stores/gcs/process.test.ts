import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { startGcs } from "@perdura/test-servers/gcs/gcs_server.js";

const STORE = new URL("../../../src/stores/gcs/gcs_store.ts", import.meta.url).href;

const flags = ["--conditions=@perdura/source", "--no-warnings", "--input-type=module", "-e"];

/** Opens a store in a separate process without other work. A pending try would wait for a day. */
const program = (then: string): string => `
  import { openGcsStore } from ${JSON.stringify(STORE)};
  const limits = { tries: 2, timeoutMs: 86_400_000, partSize: 1 << 20 };
  const store = await openGcsStore({ bucket: "kept" }, limits);
  const bytes = Buffer.alloc(3 << 20, "x");
  const upload = { key: "a", size: bytes.length, contentType: "a/b", metadata: {}, read: async (at, n) => bytes.subarray(at, at + n) };
  ${then}
`;

test.each([
  ["closed", `await store.add(upload); await store.close();`],
  ["left open", `await store.add(upload);`],
  [
    "left open after the caller gave up",
    `
    const giveUp = new AbortController();
    upload.read = async (at, n) => (at > 0 && giveUp.abort(), bytes.subarray(at, at + n));
    await store.add(upload, giveUp.signal).catch((error) => { if (error !== giveUp.signal.reason) throw error; });`,
  ],
])("a process exits when a store is %s", async (_, then) => {
  const server = await startGcs({ buckets: [{ name: "kept" }], anonymous: true });
  try {
    const env = { ...process.env, STORAGE_EMULATOR_HOST: server.endpoint };
    const child = spawn(process.execPath, [...flags, program(then)], { env, stdio: ["ignore", "inherit", "inherit"] });
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(server.requests.length).toBeGreaterThan(1);
    expect(server.uploads.open).toBe(0);
  } finally {
    await server.stop();
  }
});

test("without the package for Google's credentials the error names the package to install", () => {
  const without = `
    import { registerHooks } from "node:module";
    registerHooks({
      resolve(specifier, context, next) {
        return next(specifier === "google-auth-library" ? "google-auth-not-there" : specifier, context);
      },
    });
    const { openGcsStore } = await import(${JSON.stringify(STORE)});
    await openGcsStore({ bucket: "kept" }, { tries: 1, timeoutMs: 1000, partSize: 1 << 20 }).catch((error) =>
      console.log(error.code, error.message));
  `;
  const { stdout } = spawnSync(process.execPath, [...flags, without], { encoding: "utf8" });
  expect(stdout).toBe(
    "PERDURA_MISSING_PACKAGE Backups on Google Cloud Storage need the package google-auth-library, which is not " +
      "installed: npm install google-auth-library\n",
  );
});
