import { createHash } from "node:crypto";
import type { Hash } from "node:crypto";
import { mismatch } from "../authentication/authenticate.ts";
import type { Seed } from "../authentication/authenticate.ts";
import { sha256, signatureOf } from "../authentication/signature.ts";
import { S3Error } from "../s3_error.ts";

const LEAST_CHUNK = 8192;
const LONGEST_LINE = 16_384;

/** Decodes `aws-chunked` bodies: chunks with their optional signatures, then trailers. */
export class ChunkDecoder {
  readonly trailers: Map<string, string> = new Map();
  /** True once the body is complete. */
  ended = false;
  readonly #seed: Seed;
  readonly #signed: boolean;
  #previous: string;
  #state: "size" | "data" | "line end" | "trailers" = "size";
  #line = "";
  #left = 0;
  #short = false;
  #signature = "";
  #hash: Hash = createHash("sha256");

  constructor(seed: Seed, signed: boolean) {
    this.#seed = seed;
    this.#signed = signed;
    this.#previous = seed.signature;
  }

  /** @returns The bytes that belong to the object. */
  decode(bytes: Buffer): Buffer[] {
    const pieces: Buffer[] = [];
    let at = 0;
    while (at < bytes.length) {
      if (this.ended) throw incomplete("bytes after the last chunk");
      if (this.#state === "data") {
        const piece = bytes.subarray(at, at + this.#left);
        at += piece.length;
        this.#left -= piece.length;
        this.#hash.update(piece);
        pieces.push(piece);
        if (this.#left === 0) this.#state = "line end";
        continue;
      }
      const end = bytes.indexOf(10, at);
      const stop = end < 0 ? bytes.length : end + 1;
      this.#line += bytes.toString("latin1", at, stop);
      at = stop;
      if (this.#line.length > LONGEST_LINE) throw incomplete("a line is too long");
      if (end >= 0) this.#take(this.#line);
    }
    return pieces;
  }

  #take(line: string): void {
    this.#line = "";
    if (!line.endsWith("\r\n")) throw incomplete("a line does not end with CRLF");
    const text = line.slice(0, -2);
    if (this.#state === "size") this.#begin(text);
    else if (this.#state === "line end") this.#endChunk(text);
    else this.#trailer(text);
  }

  #begin(text: string): void {
    const [, size, signature] = /^([0-9a-f]+)(?:;chunk-signature=([0-9a-f]{64}))?$/i.exec(text) ?? [];
    if (size === undefined || (signature !== undefined) !== this.#signed) throw incomplete("invalid header of a chunk");
    this.#left = Number.parseInt(size, 16);
    this.#signature = signature ?? "";
    if (this.#short && this.#left > 0)
      throw new S3Error(
        403,
        "InvalidChunkSizeError",
        "Only the last chunk is allowed to have a size less than 8192 bytes",
      );
    this.#short = this.#left < LEAST_CHUNK;
    this.#hash = createHash("sha256");
    if (this.#left > 0) this.#state = "data";
    else {
      this.#verify("PAYLOAD", [sha256(""), sha256("")], this.#signature);
      this.#state = "trailers";
    }
  }

  #endChunk(text: string): void {
    if (text !== "") throw incomplete("a chunk is longer than its header states");
    this.#verify("PAYLOAD", [sha256(""), this.#hash.digest("hex")], this.#signature);
    this.#state = "size";
  }

  #trailer(text: string): void {
    if (text === "") {
      this.ended = true;
      return;
    }
    const colon = text.indexOf(":");
    const name = text.slice(0, colon).toLowerCase();
    const value = text.slice(colon + 1).trim();
    if (name !== "x-amz-trailer-signature") {
      this.trailers.set(name, value);
      return;
    }
    const lines = [...this.trailers].map((pair) => `${pair.join(":")}\n`).join("");
    this.#verify("TRAILER", [sha256(lines)], value);
    this.trailers.set(name, value);
  }

  #verify(kind: "PAYLOAD" | "TRAILER", hashes: string[], signature: string): void {
    if (!this.#signed) return;
    const { key, amzDate, scope } = this.#seed;
    const text = [`AWS4-HMAC-SHA256-${kind}`, amzDate, scope, this.#previous, ...hashes].join("\n");
    this.#previous = signatureOf(key, text);
    if (this.#previous !== signature)
      throw mismatch(
        "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
        { StringToSign: text, SignatureProvided: signature },
      );
  }
}

function incomplete(what: string): S3Error {
  return new S3Error(400, "IncompleteBody", `The request body terminated unexpectedly: ${what}`);
}
