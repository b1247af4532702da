import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { digest, bytesIn, expectStorageError, listed, uploadOf } from "../suite/for_tests.ts";
import { HAS_PROXY, startAzure } from "./azure_for_tests.ts";
import type { TestAzure } from "./azure_for_tests.ts";
import { needs } from "../../../../../test/needs.ts";

describe("uploads to Azure Blob Storage through a faulty network", needs("own-server", !HAS_PROXY), () => {
  let azure: TestAzure;
  beforeAll(async () => {
    azure = await startAzure();
  });
  afterAll(async () => azure.stop());
  beforeEach(() => {
    azure.proxy.faults.clear();
    azure.proxy.requests.length = 0;
  });

  test("stores an object in many blocks in spite of resets, lost responses and damaged bodies", async () => {
    // All faults may affect the same block.
    const store = await azure.open({ tries: 6 });
    const bytes = randomBytes(7_500_000);
    const { faults } = azure.proxy;
    faults.when({ url: /comp=block&/, after: 2 }, { reset: "before" }, 2);
    faults.when({ url: /comp=block&/, after: 3 }, { reset: "after" });
    faults.when({ url: /comp=block&/, after: 4 }, { flip: "request" });
    faults.when({ url: /comp=blocklist/ }, { reset: "after" });
    const reported: number[] = [];
    const upload = { ...uploadOf("large", bytes), sent: (sent: number) => reported.push(sent) };
    expect(await store.add(upload)).toBe("added");
    expect(faults.left).toBe(0);
    expect(reported).toHaveLength(8);
    expect(reported.at(-1)).toBe(bytes.length);
    expect(azure.proxy.requests.filter((line) => line.includes("comp=block&"))).toHaveLength(8 + 4);
    faults.when({ method: "GET" }, { truncate: 100_000 }, 2);
    faults.when({ method: "GET", after: 1 }, { flip: "answer", at: 500_000 });
    expect(digest(await bytesIn(store, "large"))).toBe(digest(bytes));
    expect(faults.left).toBe(0);
  });

  test("sends a small body again that was damaged in transit", async () => {
    const store = await azure.open();
    azure.proxy.faults.when({ method: "PUT" }, { flip: "request" }, 2);
    expect(await store.add(uploadOf("changed/small", randomBytes(1000)))).toBe("added");
    expect(azure.proxy.requests).toHaveLength(3);
  });

  test("does not store a body that is damaged at every try", async () => {
    const store = await azure.open({ tries: 2 });
    azure.proxy.faults.when({ method: "PUT" }, { flip: "request" }, 2);
    const message = await expectStorageError(store.add(uploadOf("changed/always", randomBytes(99))), store.place);
    expect(message).toMatch(
      /cannot store changed\/always after 2 tries: the data was damaged in transit \(400 .*MD5.*Nothing was stored\./,
    );
    expect(await store.find("changed/always")).toBeUndefined();
  });

  test("finds the stored object after every response was lost", async () => {
    const store = await azure.open({ tries: 1 });
    for (const size of [1000, 2_000_000]) {
      azure.proxy.faults.when({ method: "PUT", url: /blocklist|lost\/1000/ }, { reset: "after" });
      expect(await store.add(uploadOf(`lost/${size}`, randomBytes(size)))).toBe("added");
      expect(azure.proxy.faults.left).toBe(0);
    }
  });

  test("does not claim an object that another writer stored while the responses were lost", async () => {
    const store = await azure.open();
    await store.add(uploadOf("theirs", Buffer.from("theirs")));
    azure.proxy.faults.when({ method: "PUT" }, { reset: "after" });
    expect(await store.add(uploadOf("theirs", Buffer.from("ours")))).toBe("exists");
    expect(`${await bytesIn(store, "theirs")}`).toBe("theirs");
  });

  test("reports an uncertain upload", async () => {
    const store = await azure.open({ tries: 2 });
    azure.proxy.faults.when({ method: "PUT" }, { reset: "after" });
    azure.proxy.faults.next({ reset: "before" }, 3);
    const message = await expectStorageError(store.add(uploadOf("unknown", randomBytes(9))), store.place);
    expect(message).toMatch(
      /the connection broke \(ECONNRESET\)\. The upload may have succeeded; check before retrying\.$/,
    );
  });

  test("stops sending blocks after one is refused", async () => {
    const store = await azure.open({ tries: 2 });
    azure.proxy.faults.when({ url: /comp=block&/, after: 3 }, { reset: "before" }, 99);
    const message = await expectStorageError(store.add(uploadOf("given-up", randomBytes(12_000_000))), store.place);
    expect(message).toMatch(/cannot store given-up after 2 tries: .*ECONNRESET.* Nothing was stored\. Retry later\.$/);
    azure.proxy.faults.clear();
    expect(azure.proxy.requests.length).toBeLessThan(10);
    expect(await listed(store, "given-up")).toEqual([]);
    expect(await store.find("given-up")).toBeUndefined();
  });

  test("does not send blocks of an existing object", async () => {
    const store = await azure.open();
    await store.add(uploadOf("there", Buffer.from("x")));
    azure.proxy.requests.length = 0;
    expect(await store.add(uploadOf("there", randomBytes(3_000_000)))).toBe("exists");
    expect(azure.proxy.requests).toEqual([expect.stringMatching(/^HEAD /)]);
  });

  test("one of two concurrent uploads in blocks adds the object", async () => {
    const store = await azure.open();
    const uploads = [1, 2, 3].map((byte) => uploadOf("race", Buffer.alloc(3_000_000, byte)));
    const answers = await Promise.all(uploads.map((upload) => store.add(upload)));
    expect(answers.toSorted()).toEqual(["added", "exists", "exists"]);
    const winner = await uploads[answers.indexOf("added")]?.read(0, 3_000_000);
    expect(digest(await bytesIn(store, "race"))).toBe(digest(winner as Buffer));
  });

  test("an upload in blocks does not replace an object that was added at the same time", async () => {
    const store = await azure.open();
    let other: Promise<unknown> | undefined;
    const upload = uploadOf("meanwhile", Buffer.alloc(3_000_000));
    const read: typeof upload.read = async (start, length) => {
      await (other ??= store.add(uploadOf("meanwhile", Buffer.from("theirs"))));
      return upload.read(start, length);
    };
    expect(await store.add({ ...upload, read })).toBe("exists");
    expect(`${await bytesIn(store, "meanwhile")}`).toBe("theirs");
  });

  test("refuses metadata that the service would change, before anything is sent", async () => {
    const store = await azure.open();
    const upload = { ...uploadOf("refused", Buffer.from("x")), metadata: { upload: " x" } };
    await expect(store.add(upload)).rejects.toMatchObject({ code: "PERDURA_VALIDATION" });
    expect(azure.proxy.requests).toEqual([]);
  });

  test("does not store a source that is shorter than announced", async () => {
    const store = await azure.open();
    const upload = { ...uploadOf("shorter", randomBytes(10)), size: 11 };
    await expect(store.add(upload)).rejects.toThrow(
      "the source changed during the upload: expected 11 bytes at offset 0, found 10. Nothing was stored.",
    );
    expect(await store.find("shorter")).toBeUndefined();
  });

  test("stores the content type", async () => {
    const store = await azure.open();
    for (const size of [10, 3_000_000]) {
      const upload = { ...uploadOf(`types/${size}`, Buffer.alloc(size)), contentType: "application/vnd.x+json; a=b" };
      await store.add(upload);
      const { contentType } = await azure.container.getBlobClient(`${azure.prefix}/types/${size}`).getProperties();
      expect(contentType).toBe(upload.contentType);
    }
  });
});
