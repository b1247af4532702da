import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Fault } from "@perdura/test-servers/s3/faults.js";
import { describe, expect, test } from "vitest";
import { bytes, contentOf, ELSEWHERE, errorOf, keysOf, MIB, opened, storeOn, uploadOf } from "./opened_store.ts";
import { needs } from "../../../../../test/needs.ts";

const SLOW_DOWN = {
  status: 503,
  code: "SlowDown",
  message: "Please reduce your request rate.",
  headers: { "retry-after": "0" },
};
const PASSING: Fault["what"][] = [
  "reset",
  "lose answer",
  "damage",
  SLOW_DOWN,
  { status: 500, code: "InternalError", message: "We encountered an internal error. Please try again." },
  { status: 429, code: "TooManyRequests", message: "Wait." },
  { status: 409, code: "ConditionalRequestConflict", message: "Conflict." },
  { status: 400, code: "RequestTimeout", message: "Your socket connection was not read from." },
];

describe("failures on S3", needs("own-server", ELSEWHERE !== undefined), () => {
  test.each(PASSING.map((what) => [typeof what === "string" ? what : what.code, what] as const))(
    "adds an object in spite of %s",
    async (_, what) => {
      const { server, store } = await opened();
      const data = bytes(1000);
      server.faults.next({ on: "PutObject", times: 2, what });
      expect(await store.add(uploadOf("k", data))).toBe("added");
      expect(await contentOf(store, "k")).toEqual(data);
      // The next try detects a lost answer.
      const tries = server.faults.requests.filter((name) => name === "PutObject").length;
      expect(tries).toBe(3);
    },
  );

  test.each<[string, Fault["what"]]>([
    ...["CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload"].flatMap((on) =>
      (["reset", "lose answer", SLOW_DOWN] as const).map((what) => [on, what] as [string, Fault["what"]]),
    ),
    ["UploadPart", "damage"],
    ["CompleteMultipartUpload", "damage"],
    ["CompleteMultipartUpload", { status: 409, code: "ConditionalRequestConflict", message: "Conflict." }],
  ])("adds parts in spite of %s: %o", async (on, what) => {
    const { server, store } = await opened();
    const data = bytes(6 * MIB);
    server.faults.next({ on, times: 2, what });
    expect(await store.add(uploadOf("k", data))).toBe("added");
    expect((await contentOf(store, "k"))?.equals(data)).toBe(true);
    // S3 then requires a new upload.
    const begun = server.faults.requests.filter((name) => name === "CreateMultipartUpload").length;
    if (typeof what === "object" && what.status === 409) expect(begun).toBe(3);
    // An upload whose creation was not answered remains without an owner.
    const left = what === "lose answer" && on === "CreateMultipartUpload" ? 2 : 0;
    expect(server.state.buckets.get("backups")?.uploads.size).toBe(left);
  });

  test.each(["reset", "truncate", SLOW_DOWN] as const)("reads an object in spite of %o", async (what) => {
    const { server, store } = await opened();
    const data = bytes(300_000);
    await store.add(uploadOf("k", data));
    for (const on of ["HeadObject", "GetObject"]) server.faults.next({ on, times: 2, what });
    expect(await contentOf(store, "k")).toEqual(data);
    const found = await store.find("k");
    server.faults.next({ on: "GetObject", what });
    if (found !== undefined)
      expect(await store.read(found, 100, Buffer.alloc(200_000))).toEqual(data.subarray(100, 200_100));
    server.faults.next({ on: "ListObjectsV2", times: 2, what: SLOW_DOWN });
    expect(await keysOf(store)).toEqual(["k"]);
    server.faults.next({ on: "DeleteObject", times: 2, what: what === "truncate" ? "lose answer" : what });
    await store.remove("k");
    expect(await keysOf(store)).toEqual([]);
  });

  test("reports the last failure and the fate of the data", async () => {
    const { server, store } = await opened();
    await store.add(uploadOf("there", bytes(10)));
    const found = await store.find("there");
    if (found === undefined) return;
    const failing = async (on: string, what: Fault["what"], act: () => Promise<unknown>) => {
      server.faults.clear();
      server.faults.next({ on, times: 100, what });
      const error = await errorOf(act());
      expect(error).toMatchObject({ name: "StorageError", path: store.place });
      const tries = server.faults.requests.filter((name) => name === on).length;
      // The other part is aborted when the first one fails.
      expect([3, ...(on === "UploadPart" ? [4, 5, 6] : [])]).toContain(tries);
      server.faults.clear();
      return error.message.slice(store.place.length);
    };
    expect(await failing("PutObject", SLOW_DOWN, () => store.add(uploadOf("k", bytes(10))))).toBe(
      ": cannot store k after 3 tries: the store is throttling requests (503 SlowDown: Please reduce your request rate). Nothing was stored. Retry later.",
    );
    expect(await failing("PutObject", "reset", () => store.add(uploadOf("k", bytes(10))))).toMatch(
      /^: cannot store k after 3 tries: the connection broke \(ECONNRESET\)\. The upload may have succeeded; check before retrying\.$/,
    );
    expect(await failing("UploadPart", "reset", () => store.add(uploadOf("k", bytes(6 * MIB))))).toMatch(
      /\. Nothing was stored\. Retry later\.$/,
    );
    expect(await failing("GetObject", "truncate", () => store.read(found, 0, Buffer.alloc(10)))).toMatch(
      /^: cannot read there after 3 tries: the response was truncated \(\d of 10 bytes arrived\)\. Retry later\.$/,
    );
    expect(await failing("DeleteObject", "lose answer", () => store.remove("other"))).toMatch(
      /The removal may have succeeded; check before retrying\.$/,
    );
    expect(await keysOf(store)).toEqual(["there"]);
    expect(server.state.buckets.get("backups")?.uploads.size).toBe(0);
  });

  test.each(["hang", "hang in body"] as const)("a try of a slow store (%s) ends at its timeout", async (what) => {
    const { server, store } = await opened();
    await store.add(uploadOf("k", bytes(100_000)));
    const found = await store.find("k");
    if (found === undefined) return;
    server.faults.next({ on: "GetObject", times: 2, what });
    // On a busy machine, more of them may be too slow.
    const stubborn = await storeOn(server, { timeoutMs: 150, tries: 20 });
    expect(await stubborn.read(found, 0, Buffer.alloc(100_000))).toHaveLength(100_000);
    await stubborn.close();
    server.faults.next({ on: "GetObject", times: 3, what });
    const hasty = await storeOn(server, { timeoutMs: 150 });
    expect((await errorOf(hasty.read(found, 0, Buffer.alloc(100_000)))).message).toContain(
      "cannot read k after 3 tries: the store did not respond in time (no complete response within 150 ms). Retry",
    );
    await expect.poll(() => server.connections()).toBeLessThanOrEqual(1);
  });

  test.each(["PutObject", "UploadPart", "GetObject", "HeadObject", "ListObjectsV2", "DeleteObject"])(
    "a signal ends a wait for %s at once, with its reason",
    async (on) => {
      const { server, store } = await opened();
      await store.add(uploadOf("there", bytes(10)));
      const found = await store.find("there");
      if (found === undefined) return;
      const controller = new AbortController();
      const reason = new Error("stopped");
      server.faults.next({ on, times: 9, what: "hang", seen: () => controller.abort(reason) });
      const { signal } = controller;
      const acts: Record<string, () => Promise<unknown>> = {
        PutObject: () => store.add(uploadOf("k", bytes(10)), signal),
        UploadPart: () => store.add(uploadOf("k", bytes(11 * MIB)), signal),
        GetObject: () => store.read(found, 0, Buffer.alloc(10), signal),
        HeadObject: () => store.find("k", signal),
        ListObjectsV2: () => keysOf(store, "", signal),
        DeleteObject: () => store.remove("k", signal),
      };
      expect(await errorOf((acts[on] as () => Promise<unknown>)())).toBe(reason);
      expect(server.state.buckets.get("backups")?.uploads.size).toBe(0);
      expect(await errorOf(store.find("k", signal))).toBe(reason);
    },
  );

  test("a killed process leaves nothing visible", async () => {
    const { server, store } = await opened();
    const program = fileURLToPath(new URL("../../programs/add_to_s3_forever.ts", import.meta.url));
    const child = spawn(process.execPath, ["--conditions=@perdura/source", "--no-warnings", program, store.place], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await ended;
    const uploads = server.state.buckets.get("backups")?.uploads;
    expect([...(uploads?.values() ?? [])].map(({ parts }) => parts.size)).toEqual([3]);
    expect(await keysOf(store)).toEqual([]);
    expect(await store.find("k")).toBeUndefined();
    expect(await store.add(uploadOf("k", bytes(6 * MIB)))).toBe("added");
    expect(uploads?.size).toBe(1);
  });

  test("reports the original error if the parts cannot be removed", async () => {
    const { server, store } = await opened();
    server.faults.next({ on: "UploadPart", times: 9, what: SLOW_DOWN });
    server.faults.next({ on: "AbortMultipartUpload", times: 9, what: SLOW_DOWN });
    expect((await errorOf(store.add(uploadOf("k", bytes(6 * MIB))))).message).toMatch(
      /: cannot store k after 3 tries: the store is throttling requests \(503 SlowDown: .*\)\. Nothing was stored\. Retry later\.$/,
    );
    expect(server.faults.requests.filter((name) => name === "AbortMultipartUpload")).toHaveLength(2);
  });

  test("pauses as long as the store requests", async () => {
    const { server, store } = await opened();
    server.faults.next({ on: "ListObjectsV2", what: { ...SLOW_DOWN, headers: { "retry-after": "1" } } });
    const began = performance.now();
    expect(await keysOf(store)).toEqual([]);
    expect(performance.now() - began).toBeGreaterThan(990);
  });

  test("a signal ends a pause between tries", async () => {
    const { server, store } = await opened({}, { tries: 20 });
    const controller = new AbortController();
    const what = { ...SLOW_DOWN, headers: { "retry-after": "20" } };
    server.faults.next({ on: "HeadObject", what, seen: () => setTimeout(() => controller.abort(), 20) });
    expect((await errorOf(store.find("k", controller.signal))).name).toBe("AbortError");
  });
});
