import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expectStorageError, foundIn, listed, uploadOf } from "../suite/for_tests.ts";
import { azureError, HAS_PROXY, startAzure } from "./azure_for_tests.ts";
import type { TestAzure } from "./azure_for_tests.ts";
import { needs } from "../../../../../test/needs.ts";

describe("Azure Blob Storage behind a faulty network", needs("own-server", !HAS_PROXY), () => {
  let azure: TestAzure;
  beforeAll(async () => {
    azure = await startAzure();
  });
  afterAll(async () => azure.stop());
  beforeEach(() => {
    azure.proxy.faults.clear();
    azure.proxy.requests.length = 0;
  });

  test.each([
    { status: 503, code: "ServerBusy", words: /the store is throttling requests \(503 ServerBusy: x\)/ },
    { status: 429, code: "TooManyRequests", words: /the store is throttling requests \(429 TooManyRequests: x\)/ },
    { status: 500, code: "OperationTimedOut", words: /the store is throttling requests \(500 OperationTimedOut: x\)/ },
    { status: 500, code: "InternalError", words: /the store failed \(500 InternalError: x\)/ },
    { status: 408, code: "RequestTimeout", words: /the store failed \(408 RequestTimeout: x\)/ },
  ])("$status $code is retried up to the limit, and then reported", async ({ status, code, words }) => {
    const store = await azure.open({ tries: 3 });
    azure.proxy.faults.next(azureError(status, code, "x"), 3);
    const message = await expectStorageError(listed(store, "busy/"), store.place);
    expect(message).toMatch(words);
    expect(message).toMatch(/cannot list busy\/\* after 3 tries: .* Retry later\.$/);
    expect(azure.proxy.requests).toHaveLength(3);
  });

  test.each([
    [400, "the store rejected the request"],
    [404, "the object does not exist"],
    [501, "the store does not support this request"],
  ])("%i is not retried", async (status, words) => {
    const store = await azure.open();
    azure.proxy.faults.next(azureError(status, "InvalidResourceName", "x"));
    const message = await expectStorageError(listed(store, "bad/"), store.place);
    expect(message).toContain(`: cannot list bad/*: ${words} (${status} InvalidResourceName: x).`);
    expect(azure.proxy.requests).toHaveLength(1);
  });

  test("waits as long as the server requests", async () => {
    const store = await azure.open({ tries: 2 });
    azure.proxy.faults.next(azureError(503, "ServerBusy", "x", { "Retry-After": "1" }));
    const begun = performance.now();
    expect(await store.find("nothing")).toBeUndefined();
    expect(performance.now() - begun).toBeGreaterThan(950);
  });

  test.each(["before", "body"] as const)("a try of a silent server (%s) ends at its timeout", async (hang) => {
    const patient = await azure.open();
    await patient.add(uploadOf(`slow/${hang}`, randomBytes(500_000)));
    const store = await azure.open({ tries: 20, timeoutMs: 300 });
    const found = await foundIn(patient, `slow/${hang}`);
    azure.proxy.faults.when({ method: "GET" }, { hang });
    expect(await store.read(found, 0, Buffer.alloc(found.size))).toHaveLength(500_000);
    azure.proxy.faults.when({ method: "GET" }, { hang }, 2);
    const hasty = await azure.open({ tries: 2, timeoutMs: 200 });
    const message = await expectStorageError(hasty.read(found, 0, Buffer.alloc(found.size)), store.place);
    expect(message).toMatch(
      /after 2 tries: the store did not respond in time \(no complete response within 200 ms\)\./,
    );
  });

  test.each(["before", "body"] as const)("a signal ends the wait for a silent server (%s)", async (hang) => {
    const store = await azure.open();
    await store.add(uploadOf(`silent/${hang}`, randomBytes(500_000)));
    const [found, enough] = [await foundIn(store, `silent/${hang}`), new AbortController()];
    azure.proxy.faults.when({ method: "GET" }, { hang });
    const [reading, reason] = [store.read(found, 0, Buffer.alloc(found.size), enough.signal), new Error("enough")];
    while (azure.proxy.faults.left > 0) await new Promise(setImmediate);
    enough.abort(reason);
    await expect(reading).rejects.toBe(reason);
  });

  test("refuses a listing that is not in the order of bytes", async () => {
    const store = await azure.open();
    const blob = (name: string) =>
      `<Blob><Name>${azure.prefix}/${name}</Name><Properties><Content-Length>1</Content-Length></Properties></Blob>`;
    const names = ["a/b", "a-b"].map(blob).join("");
    const body = `<?xml version="1.0"?><EnumerationResults><Blobs>${names}</Blobs><NextMarker/></EnumerationResults>`;
    azure.proxy.faults.next({ answer: { status: 200, headers: { "Content-Type": "application/xml" }, body } });
    const message = await expectStorageError(listed(store, "a"), store.place);
    expect(message).toContain(
      "the store sent an invalid response (a-b is listed after a/b, expected the order of their bytes).",
    );
  });

  test("refuses a response with another length than requested", async () => {
    const store = await azure.open({ tries: 1 });
    await store.add(uploadOf("length", randomBytes(10)));
    const found = await foundIn(store, "length");
    for (const [body, words] of [
      ["abc", "the response was truncated (3 of 10 bytes arrived)"],
      ["more than it can be", "the store sent an invalid response (more than 10 bytes arrived)"],
    ] as const) {
      azure.proxy.faults.next({ answer: { status: 206, headers: { ETag: found.revision }, body } });
      const message = await expectStorageError(store.read(found, 0, Buffer.alloc(10)), store.place);
      expect(message).toContain(`cannot read length: ${words}.`);
    }
    azure.proxy.requests.length = 0;
    const message = await expectStorageError(store.read(found, 5, Buffer.alloc(6)), store.place);
    expect(message).toContain("6 bytes at offset 5 were requested, but the object has 10 bytes.");
    expect(azure.proxy.requests).toEqual([]);
  });

  test("requests a truncated listing again", async () => {
    const store = await azure.open();
    await store.add(uploadOf("cut/a", Buffer.alloc(3)));
    azure.proxy.faults.when({ url: /comp=list/ }, { truncate: 200 }, 2);
    expect(await listed(store, "cut/")).toEqual([{ key: "cut/a", size: 3 }]);
    expect(azure.proxy.faults.left).toBe(0);
  });
});
