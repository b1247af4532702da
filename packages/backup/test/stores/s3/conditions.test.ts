import { S3Client } from "@aws-sdk/client-s3";
import { describe, expect, onTestFinished, test } from "vitest";
import { openS3Store } from "../../../src/stores/s3/s3_store.ts";
import { bytes, contentOf, ELSEWHERE, LIMITS, MIB, opened, uploadOf } from "./opened_store.ts";
import { needs } from "../../../../../test/needs.ts";

describe("stores with and without conditions", needs("own-server", ELSEWHERE !== undefined), () => {
  test.each([10, 6 * MIB])("one of two concurrent uploads of %i bytes succeeds", async (size) => {
    const { store } = await opened();
    const uploads = [uploadOf("k", bytes(size)), uploadOf("k", bytes(size)), uploadOf("k", bytes(size))];
    const outcomes = await Promise.all(uploads.map((upload) => store.add(upload)));
    expect(outcomes.sort()).toEqual(["added", "exists", "exists"]);
    const id = (await store.find("k"))?.metadata["upload"];
    expect(uploads.filter(({ metadata }) => metadata["upload"] === id)).toHaveLength(1);
  });

  test.each([false, true])("later uploads leave no parts (conditions ignored: %s)", async (passed) => {
    const { server, store } = await opened({ ignoresPreconditions: passed });
    const late = uploadOf("k", bytes(6 * MIB));
    let other: Promise<unknown> | undefined;
    const outcome = await store.add({
      ...late,
      sent: () => (other ??= store.add(uploadOf("k", Buffer.from("other")))),
    });
    expect([outcome, await other]).toEqual(["exists", "added"]);
    expect((await contentOf(store, "k"))?.toString()).toBe("other");
    expect(server.state.buckets.get("backups")?.uploads.size).toBe(0);
  });

  test.each([10, 6 * MIB])("queries a store that refuses conditions first (%i bytes)", async (size) => {
    const { server, store } = await opened({ refusesPreconditions: true });
    const data = bytes(size);
    expect(await store.add(uploadOf("k", data))).toBe("added");
    expect(await store.add(uploadOf("k", bytes(size)))).toBe("exists");
    expect((await contentOf(store, "k"))?.equals(data)).toBe(true);
    expect(server.state.buckets.get("backups")?.uploads.size).toBe(0);
  });

  test("a store that ignores conditions replaces objects", async () => {
    const { store } = await opened({ ignoresPreconditions: true });
    await store.add(uploadOf("k", Buffer.from("1")));
    expect(await store.add(uploadOf("k", Buffer.from("2")))).toBe("added");
    expect((await contentOf(store, "k"))?.toString()).toBe("2");
  });

  test("adds an object after a conflicting one was removed", async () => {
    const { server, store } = await opened();
    await store.add(uploadOf("k", Buffer.from("1")));
    const bucket = server.state.buckets.get("backups");
    // Between the refusal and the check.
    server.faults.next({ on: "HeadObject", what: "lose answer", seen: () => bucket?.delete("p/k") });
    expect(await store.add(uploadOf("k", Buffer.from("2")))).toBe("added");
    expect((await contentOf(store, "k"))?.toString()).toBe("2");
  });

  test("sends an MD5 and a signed SHA-256 to an endpoint that is not Amazon's", async () => {
    const { server, store } = await opened();
    for (const size of [10, 6 * MIB]) {
      await store.add(uploadOf("k", bytes(size)));
      const object = server.state.buckets.get("backups")?.objects.get("p/k");
      expect(object?.pieces).toHaveLength(size === 10 ? 1 : 2);
      for (const { verifiedBy } of object?.pieces ?? [])
        expect(verifiedBy).toEqual(["x-amz-content-sha256", "content-md5"]);
      await store.remove("k");
    }
  });

  test("a passed client stays open and keeps its checksum settings", async () => {
    const { server } = await opened();
    const { endpoint, region, credentials } = server;
    const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
    onTestFinished(() => client.destroy());
    const store = await openS3Store({ client, bucket: "backups", prefix: "q" }, LIMITS);
    expect(store.place).toBe("s3://backups/q");
    const data = bytes(11 * MIB);
    for (const key of ["small", "large"]) await store.add(uploadOf(key, key === "small" ? Buffer.from("small") : data));
    const objects = server.state.buckets.get("backups")?.objects;
    expect(objects?.get("q/small")?.checksum).toMatchObject({ algorithm: "CRC32", type: "FULL_OBJECT" });
    expect(objects?.get("q/large")?.checksum).toMatchObject({ algorithm: "CRC32", type: "COMPOSITE" });
    expect(objects?.get("q/small")?.pieces[0]?.verifiedBy).toEqual(["x-amz-content-sha256", "x-amz-checksum-crc32"]);
    expect((await contentOf(store, "large"))?.equals(data)).toBe(true);
    // The SDK verifies the checksum of a whole object.
    server.faults.next({ on: "GetObject", times: 2, what: "corrupt" });
    expect((await contentOf(store, "small"))?.toString()).toBe("small");
    await store.close();
    expect((await contentOf(store, "small"))?.toString()).toBe("small");
  });
});
