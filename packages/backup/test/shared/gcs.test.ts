import { startFaultyProxy } from "@perdura/test-servers/faulty_proxy/faulty_proxy.js";
import { startGcs } from "@perdura/test-servers/gcs/gcs_server.js";
import { REAL } from "../stores/gcs/target.ts";
import { backupSuite } from "./backup_suite.ts";
import { placeElsewhere } from "./elsewhere.ts";

backupSuite("a bucket of Google Cloud Storage", async () => {
  if (REAL !== undefined) return placeElsewhere(REAL);
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
