import { randomBytes } from "node:crypto";
import { expect, describe, test } from "vitest";
import { talk } from "./talk.ts";
import type { Answer } from "./talk.ts";

const KIB = 1024;

describe("a resumable upload", () => {
  const to = talk();

  /** Begins an upload and returns its path. */
  const begun = async (query = "", headers: Record<string, string> = {}, resource = {}): Promise<string> => {
    const path = `/upload/storage/v1/b/kept/o?uploadType=resumable&name=r${query}`;
    const { status, headers: answered } = await to.ask("POST", path, JSON.stringify(resource), headers);
    expect(status).toBe(200);
    return (answered.get("location") as string).slice(to.server.endpoint.length);
  };
  const send = (path: string, range: string, body?: Buffer, headers = {}): Promise<Answer> =>
    to.ask("PUT", path, body, { ...(range === "" ? {} : { "content-range": range }), ...headers });
  const bytes = randomBytes(700 * KIB);

  test("arrives in chunks, and becomes an object only with the last one", async () => {
    const path = await begun("", { "x-upload-content-length": String(bytes.length), "x-upload-content-type": "a/b" });
    const first = await send(path, `bytes 0-${256 * KIB - 1}/*`, bytes.subarray(0, 256 * KIB));
    expect(first.status).toBe(308);
    expect(first.headers.get("range")).toBe(`bytes=0-${256 * KIB - 1}`);
    expect((await to.ask("GET", "/storage/v1/b/kept/o/r")).status).toBe(404);
    const last = await send(path, `bytes ${256 * KIB}-${bytes.length - 1}/${bytes.length}`, bytes.subarray(256 * KIB));
    expect(last.json).toMatchObject({ size: String(bytes.length), contentType: "a/b" });
    expect((await to.ask("GET", "/storage/v1/b/kept/o/r?alt=media")).body.equals(bytes)).toBe(true);
    // The answer can be repeated, for a client that did not receive it.
    expect((await send(path, "bytes */*")).json["generation"]).toBe(last.json["generation"]);
  });

  test("keeps multiples of 256 KiB, and reports the received range", async () => {
    const path = await begun();
    const none = await send(path, "bytes */*");
    expect([none.status, none.headers.get("range")]).toEqual([308, null]);
    const partial = await send(path, `bytes 0-${300 * KIB - 1}/*`, bytes.subarray(0, 300 * KIB));
    expect(partial.headers.get("range")).toBe(`bytes=0-${256 * KIB - 1}`);
    // Bytes that it has already are ignored.
    const over = await send(path, `bytes 0-${512 * KIB - 1}/*`, bytes.subarray(0, 512 * KIB));
    expect(over.headers.get("range")).toBe(`bytes=0-${512 * KIB - 1}`);
    const last = await send(path, `bytes ${512 * KIB}-*/${bytes.length}`, bytes.subarray(512 * KIB));
    expect(last.json["size"]).toBe(String(bytes.length));
    expect((await to.ask("GET", "/storage/v1/b/kept/o/r?alt=media")).body.equals(bytes)).toBe(true);
  });

  test("keeps what was received before a connection broke", async () => {
    const path = await begun();
    to.server.faults.next({ kind: "resetAfter", bytes: 600 * KIB }, { method: "PUT" });
    await expect(send(path, `bytes 0-${bytes.length - 1}/${bytes.length}`, bytes)).rejects.toThrow();
    expect((await send(path, `bytes */${bytes.length}`)).headers.get("range")).toBe(`bytes=0-${512 * KIB - 1}`);
  });

  test("is finished by a request that only states the total", async () => {
    const path = await begun();
    await send(path, `bytes 0-${256 * KIB - 1}/*`, bytes.subarray(0, 256 * KIB));
    expect((await send(path, `bytes */${256 * KIB}`)).json["size"]).toBe(String(256 * KIB));
  });

  test("refuses invalid ranges and lengths", async () => {
    const refused = async (range: string, body?: Buffer): Promise<string> => {
      const { status, json } = await send(await begun("", { "x-upload-content-length": "900000" }), range, body);
      return `${status} ${(json["error"] as { message: string } | undefined)?.message}`;
    };
    expect(await refused("bytes 0-9/*", bytes.subarray(0, 10))).toMatch(/^400 .*equal or greater than 262144/);
    expect(await refused("bytes 5-14/900000", bytes.subarray(0, 10))).toMatch(/^400 .*only 0 bytes/);
    expect(await refused("bytes 0-299999/*", bytes.subarray(0, 299_999))).toMatch(/^400 .*Content-Length/);
    expect(await refused("bytes 0-299999/300000", bytes.subarray(0, 300_000))).toMatch(/^400 .*900000/);
    expect(await refused("bytes 0-9/5", bytes.subarray(0, 10))).toMatch(/^400 .*parse/);
    expect(await refused("bytes=0-9", bytes.subarray(0, 10))).toMatch(/^400 .*parse/);
    expect(await refused("", bytes.subarray(0, 10))).toMatch(/^400 .*900000/);
    expect(await refused("bytes */*", bytes.subarray(0, 10))).toMatch(/^400 .*no body/);
    expect((await to.ask("PUT", "/upload/storage/v1/b/kept/o?upload_id=none", "")).status).toBe(404);
    expect(to.server.store.sorted("kept")).toEqual([]);
  });

  test.each([
    ["with its last bytes", {}, { "x-goog-hash": "crc32c=AAAAAA==" }],
    ["at its start", { crc32c: "AAAAAA==" }, {}],
  ])("is checked against checksums sent %s", async (_, resource, headers) => {
    const path = await begun("", {}, resource);
    const answer = await send(path, "bytes 0-9/10", bytes.subarray(0, 10), headers);
    expect(answer.status).toBe(400);
    expect(String((answer.json["error"] as { message: string }).message)).toContain("CRC32C");
    expect((await send(path, "bytes */10")).status).toBe(410);
    expect(to.server.store.sorted("kept")).toEqual([]);
  });

  test("checks its conditions at its start and at its end", async () => {
    const path = await begun("&ifGenerationMatch=0");
    await to.ask("POST", "/upload/storage/v1/b/kept/o?uploadType=media&name=r", "other");
    expect((await send(path, "bytes 0-9/10", bytes.subarray(0, 10))).status).toBe(412);
    const second = "/upload/storage/v1/b/kept/o?uploadType=resumable&name=r&ifGenerationMatch=0";
    expect((await to.ask("POST", second, "{}")).status).toBe(412);
    expect((await to.ask("GET", "/storage/v1/b/kept/o/r?alt=media")).body.toString()).toBe("other");
  });

  test("can be cancelled", async () => {
    const path = await begun();
    expect((await to.ask("DELETE", path)).status).toBe(499);
    expect((await send(path, "bytes 0-9/10", bytes.subarray(0, 10))).status).toBe(499);
    expect(to.server.store.sorted("kept")).toEqual([]);
  });
});
