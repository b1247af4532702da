import { createHash } from "node:crypto";
import type { Fault } from "@perdura/test-servers/gcs/faults.js";
import { expect, test } from "vitest";
import type { FoundObject } from "../../../src/stores/object_store.ts";
import { bytesOf, describeWithOwnGcs, listed, uploadOf } from "./target.ts";

const MIB = 1 << 20;
const PUT = { method: "PUT" };
const LAST = { contentRange: /-3145732\/3145733$/ };

describeWithOwnGcs("an upload in parts to Google Cloud Storage", (target) => {
  const SIZE = 3 * MIB + 5;
  const open = { partSize: MIB };

  test.each<[string, Fault, object]>([
    ["is reset in the middle of a part", { kind: "resetAfter", bytes: 700_000 }, { contentRange: /^bytes 1048576-/ }],
    ["is reset before a part", { kind: "reset" }, PUT],
    ["loses the answer to a part", { kind: "lostAnswer" }, PUT],
    ["loses the last answer", { kind: "lostAnswer" }, LAST],
    ["is answered 503", { kind: "answer", status: 503 }, PUT],
    ["is answered 429", { kind: "answer", status: 429 }, PUT],
    ["cannot ask how much is there", { kind: "answer", status: 503 }, { contentRange: /^bytes \*/ }],
    ["is reset at its begin", { kind: "reset" }, { method: "POST" }],
    ["loses the answer to its begin", { kind: "lostAnswer" }, { method: "POST" }],
    ["is forgotten", { kind: "answer", status: 404 }, LAST],
    ["is gone", { kind: "answer", status: 410 }, LAST],
  ])("that %s is resumed", async (_, fault, which) => {
    const store = await target.open(open);
    if (fault.kind === "answer" && "contentRange" in which && String(which.contentRange).includes("\\*"))
      target.server.faults.next({ kind: "reset" }, PUT);
    target.server.faults.next(fault, which);
    const upload = uploadOf("large", SIZE);
    expect(await store.add(upload)).toBe("added");
    expect(target.server.faults.met).toBe(true);
    expect((await bytesOf(store, "large")).equals(upload.bytes)).toBe(true);
    expect(upload.reported.at(-1)).toBe(SIZE);
  });

  test("restarts at once if the store lost it", async () => {
    const store = await target.open({ ...open, tries: 2 });
    const { begun } = target.server.uploads;
    target.server.faults.next({ kind: "reset" }, LAST);
    target.server.faults.next({ kind: "answer", status: 410 }, { contentRange: /^bytes \*/ });
    expect(await store.add(uploadOf("large", SIZE))).toBe("added");
    expect(target.server.uploads.begun - begun).toBe(2);
    const { begun: second } = target.server.uploads;
    target.server.faults.next({ kind: "answer", status: 410 }, LAST);
    const before = target.server.requests.length;
    expect(await store.add(uploadOf("other", SIZE))).toBe("added");
    expect(target.server.uploads.begun - second).toBe(2);
    expect(target.server.requests.slice(before).filter((line) => line.includes("bytes */"))).toEqual([]);
  });

  test("does not send again what the store has", async () => {
    const store = await target.open(open);
    target.server.faults.next({ kind: "resetAfter", bytes: 700_000 }, { contentRange: /^bytes 1048576-/ });
    const upload = uploadOf("large", SIZE);
    await store.add(upload);
    const second = MIB + 2 * 256 * 1024;
    expect(upload.reads).toEqual([
      `0+${MIB}`,
      `${MIB}+${MIB}`,
      `${second}+${MIB}`,
      `${second + MIB}+${SIZE - second - MIB}`,
    ]);
  });

  test("is sent again completely if its bytes were damaged in transit", async () => {
    const store = await target.open({ ...open, tries: 2 });
    target.server.faults.next({ kind: "corruptUpload" }, { contentRange: /^bytes 1048576-/ });
    const upload = uploadOf("large", SIZE);
    expect(await store.add(upload)).toBe("added");
    expect((await bytesOf(store, "large")).equals(upload.bytes)).toBe(true);
    expect(upload.reads).toHaveLength(8);
    target.server.faults.next({ kind: "corruptUpload" }, { contentRange: /^bytes 1048576-/ }, 2);
    await expect(store.add(uploadOf("worse", SIZE))).rejects.toThrow(
      /the store did not accept the data \(400 invalid: Provided CRC32C .* doesn't match .*\)\. Nothing was stored\./,
    );
    expect(await store.find("worse")).toBeUndefined();
  });

  test.each<[string, Fault, RegExp]>([
    ["fails", { kind: "answer", status: 503 }, /the store failed \(503 .*\. Nothing was stored\./],
    [
      "is refused",
      { kind: "answer", status: 403, reason: "forbidden" },
      /the credentials do not allow this .* Nothing was stored\./,
    ],
  ])("that %s leaves nothing", async (_, fault, message) => {
    const store = await target.open({ ...open, tries: 2 });
    const sessions = target.server.uploads.open;
    target.server.faults.next(fault, { contentRange: /^bytes 2097152-/ }, 2);
    const before = target.server.requests.length;
    await expect(store.add(uploadOf("broken off", SIZE))).rejects.toThrow(message);
    expect(target.server.uploads.open).toBe(sessions);
    expect(await listed(store)).toEqual({});
    const parts = target.server.requests.slice(before).filter((line) => /bytes 2097152-/.test(line));
    expect(parts).toHaveLength(fault.kind === "answer" && fault.status === 503 ? 2 : 1);
  });

  test("is uncertain if the last response and all later ones are lost", async () => {
    const store = await target.open({ ...open, tries: 1 });
    target.server.faults.next({ kind: "lostAnswer" }, LAST);
    target.server.faults.next({ kind: "answer", status: 503 }, { method: "GET" });
    await expect(store.add(uploadOf("perhaps", SIZE))).rejects.toThrow(
      /the connection broke .*\. The upload may have succeeded; check before retrying\.$/,
    );
    expect(await store.find("perhaps")).toMatchObject({ size: SIZE });
  });

  test("ends at once when the caller aborts, and leaves nothing when the store is closed", async () => {
    const store = await target.open(open);
    const sessions = target.server.uploads.open;
    const giveUp = new AbortController();
    target.server.faults.next({ kind: "silence" }, { contentRange: /^bytes 1048576-/ });
    const adding = store.add(uploadOf("given up", SIZE), giveUp.signal);
    await expect.poll(() => target.server.faults.met).toBe(true);
    giveUp.abort();
    await expect(adding).rejects.toBe(giveUp.signal.reason);
    await store.close();
    expect(target.server.uploads.open).toBe(sessions);
    expect(target.server.store.sorted("kept").filter(({ name }) => name.endsWith("given up"))).toEqual([]);
  });

  test("ends at once when the caller aborts, even if the cancellation does not reach the store", async () => {
    const store = await target.open({ ...open, timeoutMs: 1000 });
    const giveUp = new AbortController();
    const before = target.server.requests.length;
    target.server.faults.next({ kind: "silence" }, { contentRange: /^bytes 1048576-/ });
    target.server.faults.next({ kind: "silence" }, { method: "DELETE" });
    const adding = store.add(uploadOf("given up", SIZE), giveUp.signal);
    await expect
      .poll(() => target.server.requests.slice(before).some((line) => line.includes("bytes 1048576-")))
      .toBe(true);
    const began = performance.now();
    giveUp.abort();
    await expect(adding).rejects.toBe(giveUp.signal.reason);
    // Only this call waits for the answer, for the time of one try.
    await store.close();
    expect(performance.now() - began).toBeGreaterThan(990);
    expect(target.server.faults.met).toBe(true);
  });

  test("does not change an object that another upload added at the same time", async () => {
    const store = await target.open(open);
    let others: Promise<unknown> | undefined;
    const upload = uploadOf("raced", SIZE);
    const { read } = upload;
    upload.read = async (start, length) => {
      others ??= store.add(uploadOf("raced", "first"));
      await others;
      return read(start, length);
    };
    expect(await store.add(upload)).toBe("exists");
    expect((await bytesOf(store, "raced")).toString()).toBe("first");
  });

  test("of many parts survives a reset in its middle", async () => {
    const store = await target.open(open);
    const upload = uploadOf("many", 7_500_000);
    target.server.faults.next({ kind: "resetAfter", bytes: 400_000 }, { contentRange: /^bytes 4194304-/ });
    expect(await store.add(upload)).toBe("added");
    expect(target.server.faults.met).toBe(true);
    const found = (await store.find("many")) as FoundObject;
    expect(found.size).toBe(7_500_000);
    const hash = createHash("sha256");
    for (let at = 0; at < found.size; at += MIB)
      hash.update(await store.read(found, at, Buffer.alloc(Math.min(MIB, found.size - at))));
    expect(hash.digest("hex")).toBe(createHash("sha256").update(upload.bytes).digest("hex"));
  });
});
