import { CreateMultipartUploadCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { describe, expect, test } from "vitest";
import { clientOf } from "../../../../../test/servers/test/s3/server_for_tests.ts";
import { ELSEWHERE, LIMITS, opened } from "./opened_store.ts";
import { emptyPrefix } from "./empty_prefix.ts";
import { needs } from "../../../../../test/needs.ts";

const Bucket = "backups";

describe("the prefix of a test on a shared server", needs("own-server", ELSEWHERE !== undefined), () => {
  test.each([undefined, "Enabled", "Suspended"] as const)(
    "is removed with its versions, markers and unfinished uploads, and nothing else (versioning: %s)",
    async (versioning) => {
      const { server, store } = await opened({ versioning });
      const client = clientOf(server);
      for (const Key of ["p/tests/a", "p/tests/a", "p/tests/b", "p/tests-not", "other"])
        await client.send(new PutObjectCommand({ Bucket, Key, Body: Key }));
      await store.remove("tests/b");
      for (const Key of ["p/tests/c", "p/other"]) await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
      await emptyPrefix(`s3://backups/p/tests?endpoint=${server.endpoint}`, LIMITS);
      const bucket = server.state.buckets.get(Bucket);
      expect([...(bucket?.objects.keys() ?? [])]).toEqual(["p/tests-not", "other"]);
      expect([...(bucket?.older.keys() ?? [])]).toEqual([]);
      expect([...(bucket?.uploads.values() ?? [])].map(({ key }) => key)).toEqual(["p/other"]);
    },
  );

  test("reports locked versions, and never removes a whole bucket", async () => {
    const { server } = await opened({ objectLock: { mode: "COMPLIANCE", days: 1 } });
    await clientOf(server).send(new PutObjectCommand({ Bucket, Key: "p/tests/a", Body: "a" }));
    await expect(emptyPrefix(`s3://backups/p/tests?endpoint=${server.endpoint}`, LIMITS)).rejects.toThrow(
      /1 versions of the tests cannot be removed:\np\/tests\/a .*object lock/,
    );
    await expect(emptyPrefix(`s3://backups?endpoint=${server.endpoint}`, LIMITS)).rejects.toThrow("a whole bucket");
  });
});
