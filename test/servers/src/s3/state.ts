import { join } from "node:path";
import type { Algorithm, Checksum } from "./body/checksums.ts";
import type { Received } from "./body/receive.ts";
import { S3Error } from "./s3_error.ts";

export interface StoredObject {
  pieces: readonly { file: string; size: number; verifiedBy: readonly string[] }[];
  size: number;
  /** With its quotes. */
  etag: string;
  contentType: string;
  metadata: Readonly<Record<string, string>>;
  modified: Date;
  checksum: (Checksum & { type: "FULL_OBJECT" | "COMPOSITE" }) | undefined;
}

export interface StoredUpload {
  id: string;
  key: string;
  contentType: string;
  metadata: Readonly<Record<string, string>>;
  initiated: Date;
  algorithm: Algorithm | undefined;
  parts: Map<number, Received & { modified: Date }>;
}

/** What one bucket has. Bodies lie in files, which stay until the server stops: an answer may still read them. */
export class Bucket {
  readonly name: string;
  readonly created: Date;
  readonly objects: Map<string, StoredObject> = new Map();
  readonly uploads: Map<string, StoredUpload> = new Map();
  /** How often each key was deleted. */
  readonly deletions: Map<string, number> = new Map();

  constructor(name: string, created: Date) {
    this.name = name;
    this.created = created;
  }

  object(key: string): StoredObject {
    const found = this.objects.get(key);
    if (found === undefined) throw new S3Error(404, "NoSuchKey", "The specified key does not exist.", { Key: key });
    return found;
  }

  upload(id: string, key: string): StoredUpload {
    const found = this.uploads.get(id);
    if (found === undefined || found.key !== key)
      throw new S3Error(
        404,
        "NoSuchUpload",
        "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.",
        { UploadId: id },
      );
    return found;
  }

  delete(key: string): void {
    if (this.objects.delete(key)) this.deletions.set(key, (this.deletions.get(key) ?? 0) + 1);
  }
}

/** All buckets of a server. */
export class State {
  readonly buckets: Map<string, Bucket>;
  readonly #directory: string;
  #files = 0;

  constructor(names: readonly string[], directory: string, now: Date) {
    this.buckets = new Map(names.map((name) => [name, new Bucket(name, now)]));
    this.#directory = directory;
  }

  newFile(): string {
    this.#files += 1;
    return join(this.#directory, String(this.#files));
  }

  bucket(name: string): Bucket {
    const found = this.buckets.get(name);
    if (found === undefined)
      throw new S3Error(404, "NoSuchBucket", "The specified bucket does not exist", { BucketName: name });
    return found;
  }
}
