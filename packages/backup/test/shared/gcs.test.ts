import { Storage } from "@google-cloud/storage";
import { startFaultyProxy } from "@perdura/test-servers/faulty_proxy/faulty_proxy.js";
import { writeFederatedCredentials } from "@perdura/test-servers/gcs/credentials.js";
import { startGcs } from "@perdura/test-servers/gcs/gcs_server.js";
import { REAL } from "../stores/gcs/target.ts";
import { backupSuite } from "./backup_suite.ts";
import { placeElsewhere } from "./configured_stores.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

const directory = freshFolder();

const isOwn = REAL === undefined;

backupSuite("a bucket of Google Cloud Storage", { wrong: isOwn, proxy: isOwn }, async () => {
  if (REAL !== undefined) return placeElsewhere(REAL);
  const server = await startGcs({ buckets: [{ name: "kept" }], anonymous: true });
  const proxy = await startFaultyProxy(server.endpoint);
  // An emulator asks for no credentials; this server requires known ones.
  const strict = await startGcs({ buckets: [{ name: "kept" }], subjectTokens: ["somebody-else's-token"] });
  const secret = "token-of-someone-else";
  const client = new Storage({
    apiEndpoint: strict.endpoint,
    useAuthWithCustomEndpoint: true,
    projectId: "project",
    keyFilename: writeFederatedCredentials(directory, strict.tokenUrl, secret),
  });
  return {
    address: "gs://kept/some/prefix",
    missing: "gs://missing-bucket/some/prefix",
    environment: { STORAGE_EMULATOR_HOST: proxy.url },
    wrong: { client: client.bucket("kept"), secret },
    proxy,
    stop: async () => {
      await strict.stop();
      await proxy.stop();
      await server.stop();
    },
  };
});
