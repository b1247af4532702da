import { inspect } from "node:util";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import type { Fault } from "@perdura/test-servers/gcs/faults.js";
import { describe, expect, test } from "vitest";
import type { FoundObject, ObjectStore } from "../../../src/stores/object_store.ts";
import { bytesOf, describeWithOwnGcs, listed, uploadOf } from "./target.ts";

describeWithOwnGcs("requests to Google Cloud Storage that fail", (target) => {
  const passing: [string, Fault][] = [
    ["a reset connection", { kind: "reset" }],
    ["a reset connection in place of an answer", { kind: "lostAnswer" }],
    ["503", { kind: "answer", status: 503 }],
    ["429", { kind: "answer", status: 429, reason: "rateLimitExceeded" }],
    ["403 for too many requests", { kind: "answer", status: 403, reason: "rateLimitExceeded" }],
  ];

  describe.each(passing)("by %s", (_, fault) => {
    test("are retried, and an object is added once", async () => {
      const store = await target.open();
      target.server.faults.next(fault, { method: "POST", url: /uploadType=multipart/ }, 2);
      const upload = uploadOf("retried", "bytes");
      expect(await store.add(upload)).toBe("added");
      expect((await bytesOf(store, "retried")).toString()).toBe("bytes");
      expect(upload.reported).toEqual([5]);
    });

    test("are retried, and an object is read, listed and removed", async () => {
      const store = await target.open();
      await store.add(uploadOf("retried", "bytes"));
      target.server.faults.next(fault, { method: "GET" });
      expect(await store.find("retried")).toMatchObject({ size: 5 });
      target.server.faults.next(fault, { url: /alt=media/ });
      expect((await bytesOf(store, "retried")).toString()).toBe("bytes");
      target.server.faults.next(fault, { url: /maxResults/ });
      expect(await listed(store)).toEqual({ retried: 5 });
      target.server.faults.next(fault, { method: "DELETE" });
      await store.remove("retried");
      expect(await store.find("retried")).toBeUndefined();
      expect(target.server.faults.met).toBe(true);
    });

    test("are retried up to the limit", async () => {
      const store = await target.open({ tries: 3 });
      target.server.faults.next(fault, { url: /alt=media/ }, 3);
      await store.add(uploadOf("retried", "bytes"));
      const before = target.server.requests.length;
      await expect(bytesOf(store, "retried")).rejects.toMatchObject({ code: "PERDURA_STORAGE", path: store.place });
      const asked = target.server.requests.slice(before).filter((line) => line.includes("alt=media"));
      expect(asked).toHaveLength(3);
      expect(target.server.faults.met).toBe(true);
    });
  });

  test.each([408, 500, 502, 504])("are retried after the status %d", async (status) => {
    const store = await target.open({ tries: 2 });
    target.server.faults.next({ kind: "answer", status }, { method: "GET" });
    expect(await store.find("none")).toBeUndefined();
    expect(target.server.faults.met).toBe(true);
  });

  test.each<[string, Fault]>([
    ["is truncated", { kind: "cut", bytes: 10, after: "reset" }],
    ["is changed", { kind: "corruptAnswer" }],
  ])("have their bytes read again if the response %s", async (_, fault) => {
    const store = await target.open({ tries: 2 });
    const upload = uploadOf("bytes", 100_000);
    await store.add(upload);
    target.server.faults.next(fault, { url: /alt=media/ });
    expect((await bytesOf(store, "bytes")).equals(upload.bytes)).toBe(true);
    target.server.faults.next(fault, { url: /alt=media/ }, 2);
    await expect(bytesOf(store, "bytes")).rejects.toThrow(
      /cannot read bytes after 2 tries: (?:the connection broke|the response was truncated|the data was damaged)/,
    );
  });

  test.each<[string, Fault]>([
    ["truncated", { kind: "cut", bytes: 10, after: "reset" }],
    ["shorter than it should be", { kind: "short", bytes: 1 }],
  ])("have a part read again if it is %s", async (_, fault) => {
    const store = await target.open();
    const upload = uploadOf("bytes", 100_000);
    await store.add(upload);
    const found = await store.find("bytes");
    target.server.faults.next(fault, { url: /alt=media/ });
    if (found !== undefined)
      expect(await store.read(found, 5, Buffer.alloc(50_000))).toEqual(upload.bytes.subarray(5, 50_005));
    expect(target.server.faults.met).toBe(true);
  });

  test("are sent again if the bytes were damaged in transit, and leave nothing damaged", async () => {
    const store = await target.open({ tries: 2 });
    target.server.faults.next({ kind: "corruptUpload" }, { method: "POST" });
    expect(await store.add(uploadOf("fragile", "bytes"))).toBe("added");
    expect((await bytesOf(store, "fragile")).toString()).toBe("bytes");
    target.server.faults.next({ kind: "corruptUpload" }, { method: "POST" }, 2);
    await expect(store.add(uploadOf("worse", "bytes"))).rejects.toThrow(
      /cannot store worse after 2 tries: the store did not accept the data \(400 invalid: Provided CRC32C .*\)\. Nothing was stored\./,
    );
    expect(await store.find("worse")).toBeUndefined();
  });

  test.each([
    ["at once", 5, "POST"],
    ["in parts", 3 << 20, "PUT"],
  ])("are repaired after a store without checksums accepted damaged bytes %s", async (_, size, method) => {
    const store = await target.open({ partSize: 1 << 20, tries: 3 });
    for (const losesAnswer of [false, true]) {
      const upload = uploadOf(`blind ${losesAnswer}`, size);
      const last = method === "PUT" ? { contentRange: new RegExp(`-${size - 1}/${size}$`) } : {};
      target.server.faults.next({ kind: "corruptUnseen", losesAnswer }, { method, ...last });
      expect(await store.add(upload)).toBe("added");
      expect(target.server.faults.met).toBe(true);
      expect((await bytesOf(store, upload.key)).equals(upload.bytes)).toBe(true);
    }
  });

  test("end at the timeout, before a response and in the middle of one", async () => {
    const patient = await target.open();
    await patient.add(uploadOf("slow", 100_000));
    const found = (await patient.find("slow")) as FoundObject;
    const read = (store: ObjectStore) => store.read(found, 0, Buffer.alloc(100_000));
    const store = await target.open({ tries: 2, timeoutMs: 300 }, patient);
    target.server.faults.next({ kind: "silence" }, { url: /alt=media/ }, 2);
    await expect(read(store)).rejects.toThrow(
      /cannot read slow after 2 tries: the store did not respond in time \(no complete response within \d+ ms\)\. Retry later/,
    );
    target.server.faults.next({ kind: "cut", bytes: 10, after: "silence" }, { url: /alt=media/ }, 2);
    await expect(read(store)).rejects.toThrow(/did not respond in time/);
    target.server.faults.next({ kind: "silence" }, { method: "POST" }, 2);
    await expect(store.add(uploadOf("other", "x"))).rejects.toThrow(
      /did not respond in time .* The upload may have succeeded; check before retrying\.$/,
    );
    // One try that is too slow, and one that is not; on a busy machine, more may be too slow.
    target.server.faults.next({ kind: "silence" }, { url: /alt=media/ });
    expect(await read(await target.open({ tries: 20, timeoutMs: 300 }, patient))).toHaveLength(100_000);
  });

  test.each<[string, Fault]>([
    ["before an answer", { kind: "silence" }],
    ["in the middle of one", { kind: "cut", bytes: 10, after: "silence" }],
    ["while they wait for another try", { kind: "answer", status: 503, headers: { "retry-after": "50" } }],
  ])("end at once when the caller aborts %s", async (_, fault) => {
    const store = await target.open();
    await store.add(uploadOf("given up", 1000));
    const found = await store.find("given up");
    if (found === undefined) throw new Error("it must be there");
    target.server.faults.next(fault, { url: /alt=media/ }, 5);
    const giveUp = new AbortController();
    const before = target.server.requests.length;
    const reading = store.read(found, 0, Buffer.alloc(1000), giveUp.signal);
    const reason = new Error("enough");
    await expect.poll(() => target.server.requests.length).toBe(before + 1);
    giveUp.abort(reason);
    await expect(reading).rejects.toBe(reason);
    await expect(store.find("given up", giveUp.signal)).rejects.toBe(reason);
    await expect(store.add(uploadOf("more", "x"), giveUp.signal)).rejects.toBe(reason);
  });

  test("wait as long as the server requests", async () => {
    const store = await target.open();
    target.server.faults.next({ kind: "answer", status: 429, headers: { "retry-after": "1" } }, { method: "GET" });
    const started = performance.now();
    expect(await store.find("none")).toBeUndefined();
    expect(performance.now() - started).toBeGreaterThan(990);
  });

  test("are not retried after a permanent failure", async () => {
    const store = await target.open();
    const before = target.server.requests.length;
    const answer = {
      kind: "answer",
      status: 403,
      reason: "forbidden",
      message: "robot does not have storage.objects.get access",
    };
    target.server.faults.next(answer as Fault, { method: "GET" });
    await expect(store.find("x")).rejects.toThrow(
      /cannot look up x: the credentials do not allow this \(403 forbidden: robot does not have storage\.objects\.get access\)/,
    );
    target.server.faults.next({ kind: "answer", status: 400, reason: "required", message: "Bad" }, { method: "POST" });
    await expect(store.add(uploadOf("x", "y"))).rejects.toThrow(
      /the store rejected the request \(400 required: Bad\). Nothing was stored/,
    );
    expect(target.server.requests.length - before).toBe(2);
  });

  test("accept no more bytes than they requested", async () => {
    const store = await target.open();
    await store.add(uploadOf("bytes", 1_000_000));
    const found = await store.find("bytes");
    target.server.faults.next({ kind: "wholeAnswer" }, { url: /alt=media/ });
    if (found !== undefined)
      await expect(store.read(found, 5, Buffer.alloc(70_000))).rejects.toThrow(
        /the store sent an invalid response \(more than 70000 bytes arrived\)/,
      );
    expect(target.server.faults.met).toBe(true);
  });

  test("report a policy that forbids to add objects", async () => {
    const store = await target.open();
    const reason = "orgPolicyViolation";
    target.server.faults.next({ kind: "answer", status: 412, reason, message: "not allowed here" }, { method: "POST" });
    const done = store.add(uploadOf("x", "y"));
    await expect(done).rejects.toThrow(`: the store rejected the request (412 ${reason}: not allowed here).`);
  });

  test.each(["retentionPolicyNotMet", "objectUnderActiveHold"])("report a lock on an object: %s", async (reason) => {
    const store = await target.open();
    target.server.faults.next({ kind: "answer", status: 403, reason, message: "not now" }, { method: "DELETE" });
    expect(await store.remove("x")).toEqual({ lockedBy: `403 ${reason}: not now` });
  });

  test("show no secret that a server repeats", async () => {
    const store = await target.open();
    const message = "not with Bearer ya29.abc of upload_id=xyzzy and eyJhbGciOi.eyJpc3M.sig";
    target.server.faults.next({ kind: "answer", status: 400, message }, { method: "GET" });
    const error: unknown = await store.find("x").catch((each: unknown) => each);
    expect(String(error)).toContain("not with Bearer … of upload_id=… and …");
    expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/ya29|xyzzy|eyJ/);
  });

  test("pass on errors of the caller's source unchanged, and report a source that became shorter", async () => {
    const store = await target.open();
    const own = new Error("the disk is gone");
    await expect(store.add(uploadOf("x", "y", { read: () => Promise.reject(own) }))).rejects.toBe(own);
    const shorter = store.add(uploadOf("x", "bytes", { read: async () => Buffer.from("byt") }));
    await expect(shorter).rejects.toThrow(
      /cannot store x: the source changed during the upload: expected 5 bytes at offset 0, found 3\. Nothing was stored\./,
    );
    await expect(shorter).rejects.toSatisfy((error) => isPerduraError(error, "PERDURA_STORAGE"));
    expect(await listed(store)).toEqual({});
  });
});
