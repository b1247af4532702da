import { startFaultyProxy } from "@perdura/test-servers/faulty_proxy/faulty_proxy.js";
import { startS3 } from "@perdura/test-servers/s3/server.js";
import { openS3Store } from "../../../src/stores/s3/s3_store.ts";
import { storeSuite } from "../store_suite.ts";
import { emptyPrefix } from "./empty_prefix.ts";
import { ELSEWHERE, LIMITS, ownPrefix } from "./opened_store.ts";

storeSuite(
  "a bucket of S3",
  async () => {
    if (ELSEWHERE !== undefined) {
      const address = ownPrefix(ELSEWHERE);
      const store = await openS3Store(address, LIMITS);
      return { store, partSize: LIMITS.partSize, remove: () => emptyPrefix(address, LIMITS) };
    }
    const server = await startS3();
    const proxy = await startFaultyProxy(server.endpoint);
    const { S3Client } = await import("@aws-sdk/client-s3");
    const { region, credentials } = server;
    const client = new S3Client({ endpoint: proxy.url, region, credentials, forcePathStyle: true, maxAttempts: 1 });
    const busy = "<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>";
    const { faults } = proxy;
    return {
      store: await openS3Store({ client, bucket: "backups", prefix: "p" }, LIMITS),
      partSize: LIMITS.partSize,
      faults: {
        resetNext: () => faults.next({ reset: "before" }),
        loseAnswer: (n) => faults.when({ after: n - 1 }, { reset: "after" }),
        kept: () => {
          const { left } = faults;
          faults.clear();
          return left > 0;
        },
        throttleNext: () => faults.next({ answer: { status: 503, headers: {}, body: busy } }),
        truncateNext: () => faults.next({ truncate: 1000 }),
        // Ranges have no checksum of their own: changed bytes are found by the checksum of the whole object.
      },
      remove: async () => {
        await proxy.stop();
        await server.stop();
      },
    };
  },
  ELSEWHERE === undefined,
);
