import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { digest, bytesIn, expectStorageError, foundIn, listed, uploadOf } from "../suite/for_tests.ts";
import { azureError, HAS_PROXY, NO_PROXY, startAzure } from "./azure_for_tests.ts";
import type { TestAzure } from "./azure_for_tests.ts";

describe.skipIf(!HAS_PROXY)(`Azure Blob Storage behind a bad network${NO_PROXY}`, () => {
  let azure: TestAzure;
  beforeAll(async () => {
    azure = await startAzure();
  });
  afterAll(async () => azure.stop());
  beforeEach(() => {
    azure.proxy.faults.clear();
    azure.proxy.requests.length = 0;
  });

  test("60 MB come in blocks, with resets, lost answers and changed bodies in the middle", async () => {
    // All faults may happen to one block.
    const store = await azure.open({ partSize: 8 * 1024 * 1024, tries: 6 });
    const bytes = randomBytes(60_000_000);
    const { faults } = azure.proxy;
    faults.when({ url: /comp=block&/, after: 2 }, { reset: "before" }, 2);
    faults.when({ url: /comp=block&/, after: 3 }, { reset: "after" });
    faults.when({ url: /comp=block&/, after: 4 }, { flip: "request" });
    faults.when({ url: /comp=blocklist/ }, { reset: "after" });
    const told: number[] = [];
    const upload = { ...uploadOf("large", bytes), sent: (sent: number) => told.push(sent) };
    expect(await store.add(upload)).toBe("added");
    expect(faults.left).toBe(0);
    expect(told).toHaveLength(8);
    expect(told.at(-1)).toBe(bytes.length);
    expect(azure.proxy.requests.filter((line) => line.includes("comp=block&"))).toHaveLength(8 + 4);
    faults.when({ method: "GET" }, { truncate: 100_000 }, 2);
    faults.when({ method: "GET", after: 5 }, { flip: "answer", at: 4_000_000 });
    expect(digest(await bytesIn(store, "large"))).toBe(digest(bytes));
    expect(faults.left).toBe(0);
  });

  test("a small body that is changed on its way is refused and sent again", async () => {
    const store = await azure.open();
    azure.proxy.faults.when({ method: "PUT" }, { flip: "request" }, 2);
    expect(await store.add(uploadOf("changed/small", randomBytes(1000)))).toBe("added");
    expect(azure.proxy.requests).toHaveLength(3);
  });

  test("a body that is changed each time is not stored", async () => {
    const store = await azure.open({ tries: 2 });
    azure.proxy.faults.when({ method: "PUT" }, { flip: "request" }, 2);
    const message = await expectStorageError(store.add(uploadOf("changed/always", randomBytes(99))), store.place);
    expect(message).toMatch(
      /adding changed\/always failed after 2 tries: the store answered 400 .*MD5.*Nothing was stored\./,
    );
    expect(await store.look("changed/always")).toBeUndefined();
  });

  test.each([
    { status: 503, code: "ServerBusy", words: /the store is throttling requests \(503 ServerBusy: x\)/ },
    { status: 429, code: "TooManyRequests", words: /the store is throttling requests \(429 TooManyRequests: x\)/ },
    { status: 500, code: "OperationTimedOut", words: /the store is throttling requests \(500 OperationTimedOut: x\)/ },
    { status: 500, code: "InternalError", words: /the store answered 500 InternalError: x/ },
    { status: 408, code: "RequestTimeout", words: /the store answered 408 RequestTimeout: x/ },
  ])("$status $code is tried as often as the limits say, and told in the end", async ({ status, code, words }) => {
    const store = await azure.open({ tries: 3 });
    azure.proxy.faults.next(azureError(status, code, "x"), 3);
    const message = await expectStorageError(listed(store, "busy/"), store.place);
    expect(message).toMatch(words);
    expect(message).toMatch(/listing busy\/\* failed after 3 tries: .* What is stored is as it was\.$/);
    expect(azure.proxy.requests).toHaveLength(3);
  });

  test.each([400, 404, 501])("%i is not tried again", async (status) => {
    const store = await azure.open();
    azure.proxy.faults.next(azureError(status, "InvalidResourceName", "x"));
    const message = await expectStorageError(listed(store, "bad/"), store.place);
    expect(message).toContain(`failed: the store answered ${status} InvalidResourceName: x. What is stored`);
    expect(azure.proxy.requests).toHaveLength(1);
  });

  test("it waits as long as it is asked to", async () => {
    const store = await azure.open({ tries: 2 });
    azure.proxy.faults.next(azureError(503, "ServerBusy", "x", { "Retry-After": "1" }));
    const begun = performance.now();
    expect(await store.look("nothing")).toBeUndefined();
    expect(performance.now() - begun).toBeGreaterThan(950);
  });

  test.each(["before", "body"] as const)("a server that goes silent (%s) has the time of a try only", async (hang) => {
    const patient = await azure.open();
    await patient.add(uploadOf(`slow/${hang}`, randomBytes(500_000)));
    const store = await azure.open({ tries: 2, timeoutMs: 1000 });
    const found = await foundIn(patient, `slow/${hang}`);
    azure.proxy.faults.when({ method: "GET" }, { hang });
    expect(await store.read(found, 0, found.size)).toHaveLength(500_000);
    azure.proxy.faults.when({ method: "GET" }, { hang }, 2);
    const hasty = await azure.open({ tries: 2, timeoutMs: 200 });
    const message = await expectStorageError(hasty.read(found, 0, found.size), store.place);
    expect(message).toMatch(/after 2 tries: the store is too slow or not there: no whole answer came within 200 ms\./);
  });

  test.each(["before", "body"] as const)("a signal ends the wait for a silent server (%s)", async (hang) => {
    const store = await azure.open();
    await store.add(uploadOf(`silent/${hang}`, randomBytes(500_000)));
    const [found, enough] = [await foundIn(store, `silent/${hang}`), new AbortController()];
    azure.proxy.faults.when({ method: "GET" }, { hang });
    const [reading, reason] = [store.read(found, 0, found.size, enough.signal), new Error("enough")];
    while (azure.proxy.faults.left > 0) await new Promise(setImmediate);
    enough.abort(reason);
    await expect(reading).rejects.toBe(reason);
  });

  test("a signal ends the wait between two tries", async () => {
    const store = await azure.open();
    azure.proxy.faults.next(azureError(503, "ServerBusy", "x", { "Retry-After": "30" }));
    const enough = new AbortController();
    const [looking, reason] = [store.look("x", enough.signal), new Error("enough")];
    while (azure.proxy.faults.left > 0) await new Promise(setImmediate);
    enough.abort(reason);
    await expect(looking).rejects.toBe(reason);
  });

  test("an answer that is lost each time is found out about afterwards", async () => {
    const store = await azure.open({ tries: 1 });
    for (const size of [1000, 2_000_000]) {
      azure.proxy.faults.when({ method: "PUT", url: /blocklist|lost\/1000/ }, { reset: "after" });
      expect(await store.add(uploadOf(`lost/${size}`, randomBytes(size)))).toBe("added");
      expect(azure.proxy.faults.left).toBe(0);
    }
  });

  test("what somebody else has stored while our answers were lost stays his", async () => {
    const store = await azure.open();
    await store.add(uploadOf("theirs", Buffer.from("theirs")));
    azure.proxy.faults.when({ method: "PUT" }, { reset: "after" });
    expect(await store.add(uploadOf("theirs", Buffer.from("ours")))).toBe("exists");
    expect(`${await bytesIn(store, "theirs")}`).toBe("theirs");
  });

  test("it says so when nobody can know whether an object was stored", async () => {
    const store = await azure.open({ tries: 2 });
    azure.proxy.faults.when({ method: "PUT" }, { reset: "after" });
    azure.proxy.faults.next({ reset: "before" }, 3);
    const message = await expectStorageError(store.add(uploadOf("unknown", randomBytes(9))), store.place);
    expect(message).toMatch(
      /the server cannot be reached, or the connection broke \(.*ECONNRESET.*\)\. Whether it was stored is not known\.$/,
    );
  });

  test("blocks that nobody takes are not sent to the end", async () => {
    const store = await azure.open({ tries: 2 });
    azure.proxy.faults.when({ url: /comp=block&/, after: 3 }, { reset: "before" }, 99);
    const message = await expectStorageError(store.add(uploadOf("given-up", randomBytes(20_000_000))), store.place);
    expect(message).toMatch(/adding given-up failed after 2 tries: .*ECONNRESET.* Nothing was stored\.$/);
    azure.proxy.faults.clear();
    expect(azure.proxy.requests.length).toBeLessThan(10);
    expect(await listed(store, "given-up")).toEqual([]);
    expect(await store.look("given-up")).toBeUndefined();
  });

  test("an object in blocks that is there already is not sent", async () => {
    const store = await azure.open();
    await store.add(uploadOf("there", Buffer.from("x")));
    azure.proxy.requests.length = 0;
    expect(await store.add(uploadOf("there", randomBytes(3_000_000)))).toBe("exists");
    expect(azure.proxy.requests).toEqual([expect.stringMatching(/^HEAD /)]);
  });

  test("of two who send one object in blocks, one adds it", async () => {
    const store = await azure.open();
    const uploads = [1, 2, 3].map((byte) => uploadOf("race", Buffer.alloc(3_000_000, byte)));
    const answers = await Promise.all(uploads.map((upload) => store.add(upload)));
    expect(answers.toSorted()).toEqual(["added", "exists", "exists"]);
    const winner = await uploads[answers.indexOf("added")]?.read(0, 3_000_000);
    expect(digest(await bytesIn(store, "race"))).toBe(digest(winner as Buffer));
  });

  test("an object in blocks does not replace one that somebody adds meanwhile", async () => {
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

  test("what is shorter than it says is not stored", async () => {
    const store = await azure.open();
    const upload = { ...uploadOf("shorter", randomBytes(10)), size: 11 };
    await expect(store.add(upload)).rejects.toThrow("expected 11 bytes from 0 on of what is to be stored, got 10.");
    expect(await store.look("shorter")).toBeUndefined();
  });

  test("a store that lists in another order than it should is not believed", async () => {
    const store = await azure.open();
    const blob = (name: string) =>
      `<Blob><Name>${azure.prefix}/${name}</Name><Properties><Content-Length>1</Content-Length></Properties></Blob>`;
    const names = ["a/b", "a-b"].map(blob).join("");
    const body = `<?xml version="1.0"?><EnumerationResults><Blobs>${names}</Blobs><NextMarker/></EnumerationResults>`;
    azure.proxy.faults.next({ answer: { status: 200, headers: { "Content-Type": "application/xml" }, body } });
    const message = await expectStorageError(listed(store, "a"), store.place);
    expect(message).toContain("the store lists a-b after a/b, expected the order of bytes.");
  });

  test("an answer of another length than asked for is not believed, whatever it is", async () => {
    const store = await azure.open({ tries: 1 });
    await store.add(uploadOf("length", randomBytes(10)));
    const found = await foundIn(store, "length");
    for (const body of ["abc", "more than it can be"]) {
      azure.proxy.faults.next({ answer: { status: 206, headers: { ETag: found.revision }, body } });
      const message = await expectStorageError(store.read(found, 0, 10), store.place);
      expect(message).toContain(`reading length failed: the answer has ${body.length} bytes instead of 10.`);
    }
    azure.proxy.requests.length = 0;
    const message = await expectStorageError(store.read(found, 5, 6), store.place);
    expect(message).toContain("it has 10 bytes, and 6 from 5 on were asked for.");
    expect(azure.proxy.requests).toEqual([]);
  });

  test("a list that is cut off is asked for again", async () => {
    const store = await azure.open();
    await store.add(uploadOf("cut/a", Buffer.alloc(3)));
    azure.proxy.faults.when({ url: /comp=list/ }, { truncate: 200 }, 2);
    expect(await listed(store, "cut/")).toEqual([{ key: "cut/a", size: 3 }]);
    expect(azure.proxy.faults.left).toBe(0);
  });
});
