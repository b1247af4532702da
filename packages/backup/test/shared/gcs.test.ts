import { startFaultyProxy } from "@perdura/test-servers/faulty_proxy/faulty_proxy.js";
import { startGcs } from "@perdura/test-servers/gcs/gcs_server.js";
import { backupSuite } from "./backup_suite.ts";

backupSuite("a bucket of Google Cloud Storage", async () => {
  const server = await startGcs({ buckets: [{ name: "kept" }], anonymous: true });
  const proxy = await startFaultyProxy(server.endpoint);
  return {
    address: "gs://kept/some/prefix",
    missing: "gs://missing-bucket/some/prefix",
    environment: { STORAGE_EMULATOR_HOST: proxy.url },
    proxy,
    stop: async () => {
      await proxy.stop();
      await server.stop();
    },
  };
});
