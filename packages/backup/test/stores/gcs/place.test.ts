import { CRC32C, Storage } from "@google-cloud/storage";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { crc32c, crc32cText } from "../../../src/stores/remote/checksums.ts";
import { RemoteFailure } from "../../../src/stores/remote/failures.ts";
import { openGcsStore } from "../../../src/stores/gcs/gcs_store.ts";
import { checkedPlace, gcsPlaceOf } from "../../../src/stores/gcs/address.ts";
import { LIMITS } from "./target.ts";

describe("an address of Google Cloud Storage", () => {
  test.each([
    ["gs://bucket", "bucket", ""],
    ["gs://bucket/", "bucket", ""],
    ["gs://my.bucket_1/a/b", "my.bucket_1", "a/b"],
    ["gs://bucket//a/b//", "bucket", "a/b"],
    ["gs://bucket/a%20b é", "bucket", "a%20b é"],
  ])("%s", (address, bucket, prefix) => {
    expect(gcsPlaceOf(address)).toEqual({ bucket, prefix });
  });

  test.each(["gs://", "s3://bucket", "gs://Bucket/x", "gs://b", "gs://bucket?x", "gs://user@bucket/x", "bucket/x"])(
    "refuses %s",
    (address) => expect(() => gcsPlaceOf(address)).toThrow(/^(?:place|bucket): expected /),
  );

  test.each(["a?b", "a#1", "a*", "a\nb"])("refuses the prefix %j", (prefix) => {
    expect(() => checkedPlace({ bucket: "bucket", prefix })).toThrow(/^prefix: expected a string without/);
  });

  test("is taken from a bucket of Google's client", () => {
    const storage = new Storage({ projectId: "any" });
    const bucket = storage.bucket("bucket", { userProject: "payer" });
    expect(checkedPlace({ bucket, prefix: "/a/" })).toMatchObject({
      bucket: "bucket",
      prefix: "a/",
      client: storage,
      userProject: "payer",
      shown: "gs://bucket/a",
    });
    expect(() => checkedPlace({ bucket: {} as never })).toThrow(/^bucket: expected .*, got an object/);
    expect(() => checkedPlace({ bucket: "bucket", client: {} as never })).toThrow(/^client: expected a Storage/);
  });

  test("refuses unknown options", async () => {
    const open = (options: object, more = {}): Promise<unknown> =>
      openGcsStore({ bucket: "bucket", ...more }, LIMITS, options);
    await expect(open({ endpont: "x" })).rejects.toThrow(/unknown option "endpont"/);
    await expect(open({ endpoint: "x" })).rejects.toThrow(/^endpoint: expected an address/);
    await expect(open({ userProject: 1 })).rejects.toThrow(/^userProject: expected/);
    const client = new Storage({ projectId: "any" });
    await expect(open({ endpoint: "https://x" }, { client })).rejects.toThrow(/^endpoint: not allowed with a client/);
  });
});

describe("the checksum", () => {
  test("is that of Google's client, at once and piece by piece", () => {
    const same = (one: Uint8Array, other: Uint8Array): void => {
      const oracle = new CRC32C();
      oracle.update(Buffer.concat([one, other]));
      expect(crc32cText(crc32c(other, crc32c(one)))).toBe(oracle.toString());
      expect(crc32c(Buffer.concat([one, other]))).toBe(oracle.valueOf() >>> 0);
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), fc.uint8Array({ maxLength: 100 }), same));
    expect(crc32cText(crc32c(Buffer.from("hello")))).toBe("mnG7TA==");
  });
});

test("messages of servers are shown without secrets", () => {
  const key = "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n";
  const said = `a ${key} b Bearer ya29.abc-d c ya29.x_y.z upload_id=ABC&x=1 assertion=eyJh.eyJi.sig "eyJhbGciOi.eyJpc3M.x-y" end`;
  const cleaned = (text: string): string => new RemoteFailure("rejected", text).message;
  expect(cleaned(said)).toBe('a … b Bearer … c … upload_id=…&x=1 assertion=… "…" end');
  expect(cleaned("x".repeat(1000))).toHaveLength(401);
});
