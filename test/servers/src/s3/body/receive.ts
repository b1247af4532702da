import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream, openSync } from "node:fs";
import { finished } from "node:stream/promises";
import type { Seed } from "../authentication/authenticate.ts";
import type { Call } from "../call.ts";
import { header } from "../call.ts";
import { S3Error } from "../s3_error.ts";
import { ALGORITHMS, algorithmOf, assertLength, headerOf, newSum } from "./checksums.ts";
import type { Algorithm, Checksum } from "./checksums.ts";
import { ChunkDecoder } from "./chunked.ts";
import { payloadOf } from "./payload.ts";

/** A complete body whose checksums were verified. */
export interface Received {
  file: string;
  size: number;
  /** In hex. */
  md5: string;
  /** The checksum that the client sent or requested. */
  checksum: Checksum | undefined;
  /** Names of the client's checksums that verified the bytes. */
  verifiedBy: readonly string[];
}

/** Writes the body of a request to a file and verifies all its declared checksums and lengths. */
export async function receive(
  call: Call,
  seed: Seed,
  file: string,
  damage: (bytes: Buffer) => void,
): Promise<Received> {
  const payload = payloadOf(call);
  const sent = sumsInHeaders(call);
  const algorithm = sent?.algorithm ?? trailingAlgorithm(payload.trailer);
  const md5 = createHash("md5");
  const sha256 = createHash("sha256");
  const sum = algorithm && newSum(algorithm);
  const chunks = payload.chunked ? new ChunkDecoder(seed, payload.signedChunks) : undefined;
  // Opened here: the server may stop, and its folder be removed, before the stream opens it.
  const output = createWriteStream(file, { fd: openSync(file, "w") });
  let size = 0;
  try {
    for await (const bytes of call.request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      damage(bytes);
      for (const piece of chunks?.decode(bytes) ?? [bytes]) {
        size += piece.length;
        md5.update(piece);
        sha256.update(piece);
        sum?.update(piece);
        if (!output.write(piece)) await once(output, "drain");
      }
    }
  } finally {
    output.end();
    await finished(output);
  }
  if (size !== payload.length || chunks?.ended === false)
    throw new S3Error(
      400,
      "IncompleteBody",
      "You did not provide the number of bytes specified by the Content-Length HTTP header",
    );
  const digest = sha256.digest("hex");
  if (payload.hash !== undefined && payload.hash !== digest)
    throw new S3Error(
      400,
      "XAmzContentSHA256Mismatch",
      "The provided 'x-amz-content-sha256' header does not match what was computed.",
      {
        ClientComputedContentSHA256: payload.hash,
        S3ComputedContentSHA256: digest,
      },
    );
  const found = md5.digest();
  const wanted = header(call, "content-md5");
  if (wanted !== undefined && wanted !== found.toString("base64"))
    throw new S3Error(400, "BadDigest", "The Content-MD5 you specified did not match what we received.", {
      ExpectedDigest: wanted,
      CalculatedDigest: found.toString("base64"),
    });
  const checksum = sum && algorithm ? { algorithm, value: sum.digest().toString("base64") } : undefined;
  assertSum(checksum, sent?.value ?? (algorithm && chunks?.trailers.get(headerOf(algorithm))));
  if (payload.trailer !== undefined && payload.signedChunks && !chunks?.trailers.has("x-amz-trailer-signature"))
    throw new S3Error(
      400,
      "MalformedTrailerError",
      "The request contained trailing data that was not well-formed or did not conform to our published schema.",
    );
  const verifiedBy = [
    ...(payload.hash === undefined ? [] : ["x-amz-content-sha256"]),
    ...(wanted === undefined ? [] : ["content-md5"]),
    ...(checksum === undefined ? [] : [headerOf(checksum.algorithm)]),
  ];
  return { file, size, md5: found.toString("hex"), checksum, verifiedBy };
}

function assertSum(checksum: Checksum | undefined, wanted: string | undefined): void {
  if (checksum === undefined) return;
  if (wanted === undefined)
    throw new S3Error(
      400,
      "MalformedTrailerError",
      "The request contained trailing data that was not well-formed or did not conform to our published schema.",
    );
  assertLength({ ...checksum, value: wanted });
  if (checksum.value !== wanted)
    throw new S3Error(
      400,
      "BadDigest",
      `The ${checksum.algorithm} you specified did not match the calculated checksum.`,
    );
}

function sumsInHeaders(call: Call): Checksum | undefined {
  const sums = ALGORITHMS.flatMap((algorithm) => {
    const value = header(call, headerOf(algorithm));
    return value === undefined ? [] : [{ algorithm, value }];
  });
  if (sums.length > 1)
    throw new S3Error(
      400,
      "InvalidRequest",
      "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.",
    );
  const [sum] = sums;
  const named = header(call, "x-amz-sdk-checksum-algorithm");
  if (named !== undefined && sum === undefined && header(call, "x-amz-trailer") === undefined)
    throw new S3Error(
      400,
      "InvalidRequest",
      "x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.",
    );
  if (sum !== undefined) {
    assertLength(sum);
    if (named !== undefined && algorithmOf(named) !== sum.algorithm)
      throw new S3Error(400, "InvalidRequest", "Value for x-amz-sdk-checksum-algorithm header is invalid.");
  }
  const md5 = header(call, "content-md5");
  if (md5 !== undefined && (Buffer.from(md5, "base64").length !== 16 || !/^[\w+/]{22}==$/.test(md5)))
    throw new S3Error(400, "InvalidDigest", "The Content-MD5 you specified was invalid.", { "Content-MD5": md5 });
  return sum;
}

function trailingAlgorithm(trailer: string | undefined): Algorithm | undefined {
  if (trailer === undefined) return undefined;
  const [, name] = /^x-amz-checksum-(\w+)$/.exec(trailer) ?? [];
  if (name === undefined)
    throw new S3Error(400, "InvalidRequest", "The value specified in the x-amz-trailer header is not supported");
  return algorithmOf(name);
}
