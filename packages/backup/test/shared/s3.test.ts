import { startFaultyProxy } from "@perdura/test-servers/faulty_proxy/faulty_proxy.js";
import { startS3 } from "@perdura/test-servers/s3/server.js";
import { ELSEWHERE } from "../stores/s3/opened_store.ts";
import { backupSuite } from "./backup_suite.ts";
import { placeElsewhere } from "./configured_stores.ts";

const secret = "a-wrong-secret-of-nobody";
const WRONG = { secret, environment: { AWS_SECRET_ACCESS_KEY: secret } };
/** The right credentials may come from a profile, which has both. */
const WRONG_ELSEWHERE = {
  secret,
  environment: {
    ...WRONG.environment,
    AWS_ACCESS_KEY_ID: "AKIAPERDURATESTS0000",
    AWS_SESSION_TOKEN: "",
    AWS_PROFILE: "",
  },
};

backupSuite("a bucket of S3", { wrong: true, proxy: ELSEWHERE === undefined }, async () => {
  if (ELSEWHERE !== undefined) return placeElsewhere(ELSEWHERE, WRONG_ELSEWHERE);
  const server = await startS3();
  const proxy = await startFaultyProxy(server.endpoint);
  const { accessKeyId, secretAccessKey, sessionToken } = server.credentials;
  return {
    address: `s3://backups/some/prefix?endpoint=${proxy.url}`,
    missing: `s3://missing-bucket/some/prefix?endpoint=${proxy.url}`,
    environment: {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_REGION: server.region,
      AWS_CONFIG_FILE: "/dev/null",
      AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
      ...(sessionToken === undefined ? {} : { AWS_SESSION_TOKEN: sessionToken }),
    },
    wrong: WRONG,
    proxy,
    stop: async () => {
      await proxy.stop();
      await server.stop();
    },
  };
});
