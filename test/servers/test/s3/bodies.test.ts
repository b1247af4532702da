import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { sha256, signatureOf, signingKey } from "../../src/s3/authentication/signature.ts";
import { ChunkDecoder } from "../../src/s3/body/chunked.ts";
import { md5, raw } from "./raw_request.ts";
import type { Raw } from "./raw_request.ts";
import { refusal, started } from "./server_for_tests.ts";

const put = (more: Partial<Raw>): Raw => ({ method: "PUT", path: "/backups/k", body: "123456789", ...more });
/** Published checksums of "123456789", and checksums of another text. */
const SUMS = {
  "content-md5": ["JfnnlDI7RTiF9RgfG2JNCw==", md5("x")],
  "x-amz-checksum-crc32": ["y/Q5Jg==", "AAAAAA=="],
  "x-amz-checksum-crc32c": ["4waSgw==", "AAAAAA=="],
  "x-amz-checksum-sha1": [
    Buffer.from("f7c3bc1d808e04732adf679965ccc34ca7ae3441", "hex").toString("base64"),
    Buffer.alloc(20).toString("base64"),
  ],
  "x-amz-checksum-sha256": [
    Buffer.from(sha256("123456789"), "hex").toString("base64"),
    Buffer.alloc(32).toString("base64"),
  ],
} as const;

test.each(Object.entries(SUMS))("verifies %s", async (name, [right, wrong]) => {
  const { server } = await started();
  expect(await raw(server, put({ headers: { [name]: wrong } }))).toMatchObject({ status: 400, code: "BadDigest" });
  const invalid = name === "content-md5" ? "InvalidDigest" : "InvalidRequest";
  expect(await raw(server, put({ headers: { [name]: "AAA=" } }))).toMatchObject({ status: 400, code: invalid });
  expect(server.state.buckets.get("backups")?.objects.size).toBe(0);
  expect(await raw(server, put({ headers: { [name]: right } }))).toMatchObject({ status: 200 });
});

test("verifies the signed hash, unless the payload is unsigned", async () => {
  const { server } = await started();
  const hashed = (hash: string) => raw(server, put({ headers: { "x-amz-content-sha256": hash } }));
  expect(await hashed(sha256("other"))).toMatchObject({ status: 400, code: "XAmzContentSHA256Mismatch" });
  expect(await hashed("nonsense")).toMatchObject({ status: 400, code: "InvalidArgument" });
  expect(await hashed("UNSIGNED-PAYLOAD")).toMatchObject({ status: 200 });
});

test("refuses bodies without a length, and conflicting checksums", async () => {
  const { server } = await started();
  const code = async (more: Partial<Raw>) => (await raw(server, put(more))).code;
  const both = { "x-amz-checksum-crc32": "y/Q5Jg==", "x-amz-checksum-crc32c": "4waSgw==" };
  expect(await code({ headers: both })).toBe("InvalidRequest");
  expect(await code({ headers: { "x-amz-sdk-checksum-algorithm": "CRC32" } })).toBe("InvalidRequest");
  expect(await code({ headers: { "x-amz-checksum-crc64nvme": "AAAAAAAAAAA=" } })).toBe("NotImplemented");
  expect(await code({ headers: { "content-encoding": "gzip" } })).toBe("NotImplemented");
  expect(await code({ headers: { "transfer-encoding": "chunked" }, bodyOf: () => Buffer.from("123456789") })).toBe(
    "NotImplemented",
  );
  expect(await code({ headers: { "x-amz-trailer": "x-amz-checksum-crc32" } })).toBe("InvalidRequest");
});

test.each(["CRC32", "CRC32C", "SHA1", "SHA256"] as const)(
  "accepts streams of the SDK with a trailing %s",
  async (ChecksumAlgorithm) => {
    const { server, client } = await started({}, { requestStreamBufferSize: 65_536 });
    const data = randomBytes(300_000);
    const send = (Key: string) =>
      client.send(
        new PutObjectCommand({
          Bucket: "backups",
          Key,
          Body: Readable.from([data.subarray(0, 70_000), data.subarray(70_000)]),
          ContentLength: data.length,
          ChecksumAlgorithm,
        }),
      );
    await send("k");
    const found = await client.send(new GetObjectCommand({ Bucket: "backups", Key: "k", ChecksumMode: "ENABLED" }));
    expect(data.equals(Buffer.from((await found.Body?.transformToByteArray()) ?? []))).toBe(true);
    expect(found[`Checksum${ChecksumAlgorithm}`]).toBeTruthy();
    server.faults.next({ on: "PutObject", what: "damage" });
    await expect(send("damaged")).rejects.toThrow();
    expect([...(server.state.buckets.get("backups")?.objects.keys() ?? [])]).toEqual(["k"]);
  },
);

/** A body in chunks, each signed after the previous one; `change` corrupts the signature of one chunk. */
function chunked(data: Buffer[], trailer: string | undefined, change = -1) {
  return ({
    key,
    amzDate,
    scope,
    signature,
  }: {
    key: Buffer;
    amzDate: string;
    scope: string;
    signature: string;
  }): Buffer => {
    let previous = signature;
    const sign = (kind: string, ...hashes: string[]): string =>
      (previous = signatureOf(key, [`AWS4-HMAC-SHA256-${kind}`, amzDate, scope, previous, ...hashes].join("\n")));
    const pieces = [...data, Buffer.alloc(0)].flatMap((piece, index) => {
      const right = sign("PAYLOAD", sha256(""), sha256(piece));
      const shown = index === change ? right.replace(/^./, (digit) => (digit === "0" ? "1" : "0")) : right;
      const end = piece.length === 0 ? [] : [Buffer.from("\r\n")];
      return [Buffer.from(`${piece.length.toString(16)};chunk-signature=${shown}\r\n`), piece, ...end];
    });
    if (trailer === undefined) return Buffer.concat([...pieces, Buffer.from("\r\n")]);
    const right = sign("TRAILER", sha256(`${trailer}\n`));
    const shown = change === data.length + 1 ? "0".repeat(64) : right;
    return Buffer.concat([...pieces, Buffer.from(`${trailer}\r\nx-amz-trailer-signature:${shown}\r\n\r\n`)]);
  };
}

const DATA = [Buffer.alloc(8192, "a"), Buffer.alloc(100, "b")];
const STREAMED = {
  "x-amz-decoded-content-length": "8292",
  "content-encoding": "aws-chunked",
  "x-amz-content-sha256": "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
  "transfer-encoding": "chunked",
};

test("verifies the signature of each chunk and of the trailers", async () => {
  const { server } = await started();
  const sum = `x-amz-checksum-sha256:${Buffer.from(sha256(Buffer.concat(DATA)), "hex").toString("base64")}`;
  const trailing = {
    ...STREAMED,
    "x-amz-content-sha256": `${STREAMED["x-amz-content-sha256"]}-TRAILER`,
    "x-amz-trailer": "x-amz-checksum-sha256",
  };
  expect(await raw(server, put({ headers: STREAMED, bodyOf: chunked(DATA, undefined) }))).toMatchObject({
    status: 200,
  });
  expect(await raw(server, put({ headers: trailing, bodyOf: chunked(DATA, sum) }))).toMatchObject({ status: 200 });
  const found = await raw(server, { path: "/backups/k" });
  expect(found.text).toBe("a".repeat(8192) + "b".repeat(100));
  const refused = { status: 403, code: "SignatureDoesNotMatch" };
  for (const change of [0, 1, 2])
    expect(await raw(server, put({ headers: STREAMED, bodyOf: chunked(DATA, undefined, change) }))).toMatchObject(
      refused,
    );
  expect(await raw(server, put({ headers: trailing, bodyOf: chunked(DATA, sum, 3) }))).toMatchObject(refused);
  const wrong = `x-amz-checksum-sha256:${Buffer.alloc(32).toString("base64")}`;
  expect(await raw(server, put({ headers: trailing, bodyOf: chunked(DATA, wrong) }))).toMatchObject({
    code: "BadDigest",
  });
});

test("refuses chunks that are too small, too few, too many, or followed by other bytes", async () => {
  const { server } = await started();
  const code = async (bodyOf: Raw["bodyOf"]) =>
    (await raw(server, put({ headers: STREAMED, ...(bodyOf && { bodyOf }) }))).code;
  expect(await code(chunked(DATA.toReversed(), undefined))).toBe("InvalidChunkSizeError");
  expect(await code(chunked([DATA[0] as Buffer], undefined))).toBe("IncompleteBody");
  expect(await code(chunked([...DATA.slice(0, 1), ...DATA], undefined))).toBe("IncompleteBody");
  expect(await code((seed) => Buffer.concat([chunked(DATA, undefined)(seed), Buffer.from("more")]))).toBe(
    "IncompleteBody",
  );
  expect(await code((seed) => chunked(DATA, undefined)(seed).subarray(0, -60))).toBe("IncompleteBody");
});

test("reads the example of S3's documentation, byte by byte", () => {
  const scope = { date: "20130524", region: "us-east-1" };
  const decoder = new ChunkDecoder(
    {
      key: signingKey("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", scope),
      amzDate: "20130524T000000Z",
      scope: "20130524/us-east-1/s3/aws4_request",
      signature: "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
    },
    true,
  );
  const body =
    `10000;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648\r\n${"a".repeat(65_536)}\r\n` +
    `400;chunk-signature=0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497\r\n${"a".repeat(1024)}\r\n` +
    "0;chunk-signature=b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9\r\n\r\n";
  const pieces = [...Buffer.from(body)].flatMap((byte) => decoder.decode(Buffer.of(byte)));
  expect(Buffer.concat(pieces).toString()).toBe("a".repeat(66_560));
  expect(decoder.ended).toBe(true);
});

test("stores nothing from a body that ends early", async () => {
  const { server } = await started();
  const ended = raw(server, put({ headers: { "content-length": "20" }, endEarly: true }));
  expect(await ended).toMatchObject({ status: 400 });
  expect(server.faults.requests).toEqual(["PutObject"]);
  expect(server.state.buckets.get("backups")?.objects.size).toBe(0);
});

test("refuses a body that was damaged in transit", async () => {
  const { server, client } = await started();
  server.faults.next({ on: "PutObject", what: "damage" });
  const refused = await refusal(client.send(new PutObjectCommand({ Bucket: "backups", Key: "k", Body: "x" })));
  expect(refused).toEqual({ name: "XAmzContentSHA256Mismatch", status: 400 });
});
