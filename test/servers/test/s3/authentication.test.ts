import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { expect, test } from "vitest";
import {
  ALGORITHM,
  canonicalRequest,
  scopeText,
  sha256,
  signatureOf,
  signingKey,
} from "../../src/s3/authentication/signature.ts";
import { callOf } from "../../src/s3/call.ts";
import { raw } from "./raw_request.ts";
import type { Raw } from "./raw_request.ts";
import { clientOf, refusal, started } from "./server_for_tests.ts";

const put = (more: Partial<Raw> = {}): Raw => ({ method: "PUT", path: "/backups/k", body: "data", ...more });
const MINUTE = 60_000;

test("accepts a request signed without the SDK", async () => {
  const { server } = await started();
  expect(await raw(server, put())).toMatchObject({ status: 200 });
  expect(await raw(server, { path: "/backups/k" })).toMatchObject({ status: 200, text: "data" });
  const unusual = "/backups/a%20b%2Bc%21%27%28%29~/%C3%A9";
  expect(await raw(server, put({ path: unusual }))).toMatchObject({ status: 200 });
  expect([...(server.state.buckets.get("backups")?.objects.keys() ?? [])]).toEqual(["k", "a b+c!'()~/é"]);
});

test("computes the documented signature of S3's example, and sorts parameters", () => {
  const host = "examplebucket.s3.amazonaws.com";
  const empty = sha256("");
  const headers = { host, range: "bytes=0-9", "x-amz-content-sha256": empty, "x-amz-date": "20130524T000000Z" };
  const canonical = (url: string) =>
    canonicalRequest(callOf({ method: "GET", url, headers } as never, host), Object.keys(headers), empty);
  const scope = { date: "20130524", region: "us-east-1" };
  const key = signingKey("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", scope);
  const text = [ALGORITHM, "20130524T000000Z", scopeText(scope), sha256(canonical("/test.txt"))].join("\n");
  expect(signatureOf(key, text)).toBe("f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
  expect(canonical("/b?list-type=2&b=%20x&a").split("\n")[2]).toBe("a=&b=%20x&list-type=2");
});

test.each<[string, Partial<Raw>, number, string]>([
  ["no authorization", { forge: (headers) => delete headers["authorization"] }, 403, "AccessDenied"],
  ["another key", { accessKeyId: "AKIAOTHER" }, 403, "InvalidAccessKeyId"],
  ["another secret", { secret: "other" }, 403, "SignatureDoesNotMatch"],
  ["an old date", { forge: (headers) => (headers["x-amz-date"] = "20200101T000000Z") }, 403, "RequestTimeTooSkewed"],
  ["no date", { forge: (headers) => delete headers["x-amz-date"] }, 403, "AccessDenied"],
  ["another region", { region: "eu-west-1" }, 400, "AuthorizationHeaderMalformed"],
  [
    "a malformed authorization",
    { forge: (headers) => (headers["authorization"] = "AWS4-HMAC-SHA256 x") },
    400,
    "AuthorizationHeaderMalformed",
  ],
  ["signature version 2", { forge: (headers) => (headers["authorization"] = "AWS AKIATEST:x") }, 400, "InvalidRequest"],
  ["no hash of the body", { forge: (headers) => delete headers["x-amz-content-sha256"] }, 400, "InvalidRequest"],
  ["metadata that was not signed", { forge: (headers) => (headers["x-amz-meta-a"] = "b") }, 403, "AccessDenied"],
  [
    "a content type that differs from the signed one",
    { headers: { "content-type": "a/b" }, forge: (headers) => (headers["content-type"] = "c/d") },
    403,
    "SignatureDoesNotMatch",
  ],
  ["an unknown token", { headers: { "x-amz-security-token": "t" } }, 400, "InvalidToken"],
])("refuses a request with %s", async (_, more, status, code) => {
  const { server } = await started();
  expect(await raw(server, put(more))).toMatchObject({ status, code });
  expect(server.state.buckets.get("backups")?.objects.size).toBe(0);
});

test("refuses presigned URLs and virtual-hosted buckets", async () => {
  const { server, client } = await started();
  expect(await raw(server, { path: "/backups/k?X-Amz-Signature=00" })).toMatchObject({ status: 501 });
  const host = `backups.${server.endpoint.slice(7)}`;
  const virtual = await raw(server, { path: "/k", forge: (headers) => (headers["host"] = host) });
  expect(virtual).toMatchObject({ status: 400, code: "InvalidRequest" });
  expect(virtual.text).toContain("path style only");
  client.destroy();
});

test("refuses requests more than 15 minutes off its clock", async () => {
  const { server } = await started();
  const at = (minutes: number) => raw(server, put({ date: new Date(Date.now() + minutes * MINUTE) }));
  for (const minutes of [-14, 14]) expect(await at(minutes)).toMatchObject({ status: 200 });
  for (const minutes of [-16, 16]) {
    const answer = await at(minutes);
    expect(answer).toMatchObject({ status: 403, code: "RequestTimeTooSkewed" });
    expect(answer.text).toMatch(/<ServerTime>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ<\/ServerTime>/);
    expect(answer.text).toContain("<MaxAllowedSkewMilliseconds>900000<");
  }
  server.clockOffset = 60 * MINUTE;
  expect(await at(0)).toMatchObject({ code: "RequestTimeTooSkewed" });
  const { date } = (await at(60)).headers;
  expect(Math.abs(Date.parse(date as string) - Date.now() - 60 * MINUTE)).toBeLessThan(5000);
});

test("accepts the SDK with temporary credentials, and refuses wrong ones", async () => {
  const { server, client } = await started({
    credentials: { accessKeyId: "ASIATEST", secretAccessKey: "s3cr3t", sessionToken: "token" },
  });
  await client.send(new PutObjectCommand({ Bucket: "backups", Key: "a b/ü%20+~", Body: "1" }));
  const { accessKeyId } = server.credentials;
  const read = new GetObjectCommand({ Bucket: "backups", Key: "a b/ü%20+~" });
  for (const [credentials, name] of [
    [{ accessKeyId: "AKIAX", secretAccessKey: "x" }, "InvalidAccessKeyId"],
    [{ ...server.credentials, secretAccessKey: "x" }, "SignatureDoesNotMatch"],
    [{ accessKeyId, secretAccessKey: "s3cr3t" }, "InvalidToken"],
  ] as const)
    expect((await refusal(clientOf(server, { credentials }).send(read))).name).toBe(name);
  await client.send(read);
});
