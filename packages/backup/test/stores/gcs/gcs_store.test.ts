import { startFaultyProxy } from "@perdura/test-servers/faulty_proxy/faulty_proxy.js";
import { startGcs } from "@perdura/test-servers/gcs/gcs_server.js";
import { vi } from "vitest";
import { openGcsStore } from "../../../src/stores/gcs/gcs_store.ts";
import { storeSuite } from "../store_suite.ts";
import { LIMITS } from "./target.ts";

storeSuite(
  "a bucket of Google Cloud Storage",
  async () => {
    const server = await startGcs({ buckets: [{ name: "kept" }], anonymous: true, pageSize: 3 });
    const proxy = await startFaultyProxy(server.endpoint);
    vi.stubEnv("STORAGE_EMULATOR_HOST", proxy.url);
    const { faults } = proxy;
    const partSize = 1 << 20;
    return {
      store: await openGcsStore({ bucket: "kept", prefix: "p" }, { ...LIMITS, partSize }),
      partSize,
      faults: {
        resetNext: () => faults.next({ reset: "before" }),
        loseAnswer: (n) => faults.when({ after: n - 1 }, { reset: "after" }),
        kept: () => {
          const { left } = faults;
          faults.clear();
          return left > 0;
        },
        throttleNext: () => faults.next({ answer: { status: 503, headers: {}, body: "{}" } }),
        truncateNext: () => faults.next({ truncate: 1000 }),
        // Ranges have no checksum of their own: changed bytes are found by the checksum of the whole object.
      },
      remove: async () => {
        vi.unstubAllEnvs();
        await proxy.stop();
        await server.stop();
      },
    };
  },
  true,
);
