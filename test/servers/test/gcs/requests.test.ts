import { describe, expect, test } from "vitest";
import { talk } from "./talk.ts";
import type { Answer } from "./talk.ts";

const UPLOAD = "/upload/storage/v1/b/kept/o";

/** Reason and message of a refusal; checks its form. */
function refusal({ status, json }: Answer): string {
  const { code, message, errors } = json["error"] as {
    code: number;
    message: string;
    errors: Record<string, string>[];
  };
  expect(code).toBe(status);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatchObject({ domain: "global", message });
  return `${code} ${errors[0]?.["reason"]}: ${message}`;
}

describe("requests to objects", () => {
  const to = talk();
  const put = (name: string, text: string, query = "", headers = {}): Promise<Answer> =>
    to.ask("POST", `${UPLOAD}?uploadType=media&name=${name}${query}`, text, headers);

  test("are refused with unknown or invalid parameters", async () => {
    await put("x", "1");
    const refused = async (...request: Parameters<typeof to.ask>): Promise<string> => refusal(await to.ask(...request));
    expect(await refused("GET", "/storage/v1/b/kept/o/x?ifGenerationMatched=1")).toMatch(/^501 .* ifGenerationMatched/);
    expect(await refused("GET", "/storage/v1/b/kept/o?versions=true")).toMatch(/^501 .* versions/);
    expect(await refused("GET", "/storage/v1/b/kept/o/x", undefined, { "if-match": "1" })).toMatch(/^501 .* if-match/);
    expect(await refused("GET", "/storage/v1/b/kept/o/x", undefined, { range: "bytes=0-0" })).toMatch(/^501 .* range/);
    expect(await refused("GET", "/storage/v1/b/kept/o/x?alt=media&fields=name")).toMatch(/^501 .* fields/);
    expect(await refused("GET", "/storage/v1/b/kept/o/x?generation=1&generation=2")).toMatch(/^400 invalid: .* twice/);
    expect(await refused("PATCH", "/storage/v1/b/kept/o/x", "{}")).toMatch(/^501 .* PATCH/);
    expect(await refused("POST", `${UPLOAD}?name=x`)).toMatch(/^400 invalid: Invalid upload request/);
    expect(await refused("GET", "/storage/v1/b/kept/o?maxResults=0")).toMatch(/^400 .*maxResults/);
    expect(await refused("GET", "/storage/v1/b/kept/o?pageToken=abc")).toMatch(/^400 .*pageToken/);
    expect(await refused("POST", `${UPLOAD}?uploadType=media`, "1")).toBe("400 required: Required parameter: name");
    expect(await refused("POST", `${UPLOAD}?uploadType=media&name=..`, "1")).toMatch(/^400 invalid/);
    expect(await refused("POST", `${UPLOAD}?uploadType=media&name=${"a".repeat(1025)}`, "1")).toMatch(/1024/);
  });

  test("obey their conditions", async () => {
    const first = (await put("c", "1", "&ifGenerationMatch=0")).json["generation"] as string;
    const at = "/storage/v1/b/kept/o/c?";
    const status = async (method: string, query: string): Promise<number> => (await to.ask(method, at + query)).status;
    expect(refusal(await put("c", "2", "&ifGenerationMatch=0"))).toBe(
      "412 conditionNotMet: At least one of the pre-conditions you specified did not hold.",
    );
    expect(await status("GET", "ifGenerationMatch=0")).toBe(412);
    expect(await status("GET", `ifGenerationMatch=${first}`)).toBe(200);
    expect(await status("GET", `alt=media&ifGenerationMatch=1${first}`)).toBe(412);
    expect(await status("GET", `ifGenerationNotMatch=${first}`)).toBe(304);
    expect(await status("GET", "ifGenerationNotMatch=1")).toBe(200);
    expect(await status("GET", "ifMetagenerationMatch=2")).toBe(412);
    expect(await status("GET", "ifGenerationMatch=x")).toBe(400);
    expect((await put("c", "2", `&ifGenerationNotMatch=${first}`)).status).toBe(412);
    expect((await put("none", "2", "&ifGenerationNotMatch=5")).status).toBe(412);
    const second = (await put("c", "2", `&ifGenerationMatch=${first}`)).json["generation"] as string;
    expect(await status("GET", `alt=media&generation=${first}`)).toBe(404);
    expect(await status("GET", `alt=media&generation=${second}`)).toBe(200);
    expect(await status("DELETE", `ifGenerationMatch=${first}`)).toBe(412);
    expect(await status("DELETE", `ifGenerationMatch=${second}`)).toBe(204);
    expect(await status("DELETE", "")).toBe(404);
  });

  test("are checked against their checksums", async () => {
    const at = (header: string): Promise<Answer> => put("sum", "hello", "", { "x-goog-hash": header });
    expect((await at("crc32c=mnG7TA==,md5=XUFAKrxLKna5cZ2REBfFkg==")).status).toBe(200);
    expect(refusal(await at("crc32c=AAAAAA=="))).toBe(
      `400 invalid: Provided CRC32C "AAAAAA==" doesn't match calculated CRC32C "mnG7TA==".`,
    );
    expect(refusal(await at("crc32c=mnG7TA==,md5=AAAAKrxLKna5cZ2REBfFkg=="))).toMatch(/MD5/);
    expect((await at("sha1=mnG7TA==")).status).toBe(400);
    expect((await at("crc32c=AAAAAA==")).status).toBe(400);
  });

  test("return the bytes of a range, with the checksums of the whole object", async () => {
    const { json } = await put("digits", "0123456789");
    const range = (value: string): Promise<Answer> =>
      to.ask("GET", "/storage/v1/b/kept/o/digits?alt=media", undefined, { range: value });
    const some = await range("bytes=2-3");
    expect(some).toMatchObject({ status: 206, body: Buffer.from("23") });
    expect(some.headers.get("content-range")).toBe("bytes 2-3/10");
    expect(some.headers.get("x-goog-hash")).toBe(`crc32c=${String(json["crc32c"])},md5=${String(json["md5Hash"])}`);
    expect(some.headers.get("x-goog-generation")).toBe(json["generation"]);
    expect((await range("bytes=8-99")).body.toString()).toBe("89");
    expect((await range("bytes=-3")).body.toString()).toBe("789");
    expect((await range("bytes=10-")).status).toBe(416);
    expect((await range("lines=1-2")).status).toBe(200);
  });

  test("return only the requested fields", async () => {
    await put("f", "1");
    const part = await to.ask("GET", "/storage/v1/b/kept/o?fields=items(name,size),nextPageToken");
    expect(part.json).toEqual({ items: [{ name: "f", size: "1" }] });
    expect((await to.ask("GET", "/storage/v1/b/kept/o?fields=items/name")).json).toEqual({ items: [{ name: "f" }] });
    expect((await to.ask("GET", "/storage/v1/b/kept/o?fields=items(name")).status).toBe(400);
  });
});

describe("multipart bodies", () => {
  const to = talk();
  const post = (body: string, type = "multipart/related; boundary=xx"): Promise<Answer> =>
    to.ask("POST", `${UPLOAD}?uploadType=multipart`, body, { "content-type": type });
  const json = (value: unknown): string => `Content-Type: application/json\r\n\r\n${JSON.stringify(value)}`;
  const body = (...parts: string[]): string => parts.map((part) => `--xx\r\n${part}\r\n`).join("") + "--xx--";
  const bytes = "Content-Type: text/x-any\r\n\r\nhello";

  test("are stored exactly, including bytes that look like a boundary", async () => {
    const answer = await post(body(json({ name: "m", metadata: { a: "b" }, crc32c: "mnG7TA==" }), bytes));
    expect(answer.json).toMatchObject({ name: "m", size: "5", contentType: "text/x-any", metadata: { a: "b" } });
    expect((await post(body(json({ name: "n" }), "Content-Type: a/b\r\n\r\n--xx\r\n-xx"))).json["size"]).toBe("9");
    expect((await post(body(json({ name: "empty" }), "Content-Type: a/b\r\n\r\n"))).json["size"]).toBe("0");
  });

  test("are refused if a part is invalid", async () => {
    expect(refusal(await post(body(json({ name: "m", crc32c: "AAAAAA==" }), bytes)))).toMatch(/CRC32C/);
    expect(refusal(await post(body(json({ name: "m", md5Hash: "AAAA" }), bytes)))).toMatch(/MD5/);
    expect(refusal(await post(body(json({ name: "m", acl: [] }), bytes)))).toMatch(/^501 .*acl/);
    expect(refusal(await post(body(json({ name: "m", bucket: "other" }), bytes)))).toMatch(/bucket/);
    expect(refusal(await post(body(json({ name: "m", metadata: { a: 1 } }), bytes)))).toMatch(/metadata/);
    expect(refusal(await post(body(json({ name: "m" }))))).toMatch(/2 parts/);
    expect(refusal(await post(body(bytes, json({ name: "m" }))))).toMatch(/first part/);
    expect(refusal(await post(body(json({ name: "m" }), bytes).slice(0, -4)))).toMatch(/[Mm]alformed/);
    expect(refusal(await post(body(json({ name: "m" }), bytes), "multipart/mixed; boundary=xx"))).toMatch(
      /content type/,
    );
    expect(refusal(await post(body("Content-Type: application/json\r\n\r\n{", bytes)))).toBe(
      "400 parseError: Parse Error",
    );
    expect(to.server.store.sorted("kept")).toEqual([]);
  });
});

describe("a requester-pays bucket", () => {
  const to = talk({ buckets: [{ name: "kept" }, { name: "paid", requesterPays: true }] });

  test("requires a userProject", async () => {
    expect(refusal(await to.ask("GET", "/storage/v1/b/paid/o"))).toMatch(/^400 required: .*requester pays/);
    expect((await to.ask("GET", "/storage/v1/b/paid/o?userProject=me")).status).toBe(200);
  });
});
