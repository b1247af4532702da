import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Algorithm, Checksum } from "./body/checksums.ts";
import type { Received } from "./body/receive.ts";
import { S3Error } from "./s3_error.ts";

export interface StoredObject {
  pieces: readonly { file: string; size: number; verifiedBy: readonly string[] }[];
  size: number;
  /** Including its quotes. */
  etag: string;
  contentType: string;
  metadata: Readonly<Record<string, string>>;
  modified: Date;
  checksum: (Checksum & { type: "FULL_OBJECT" | "COMPOSITE" }) | undefined;
  /** `null` if the bucket had no versioning when the object was written. */
  versionId?: string;
  lock?: ObjectLock;
}

/** Prevents the deletion of one version. */
export interface ObjectLock {
  retention?: { mode: "GOVERNANCE" | "COMPLIANCE"; until: Date };
  legalHold?: boolean;
}

/** A version that is not the current object of its key; a delete marker if it has no object. */
export interface OlderVersion {
  versionId: string;
  modified: Date;
  object: StoredObject | undefined;
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

export type Versioning = "Enabled" | "Suspended" | undefined;

/** The retention of new versions, in a bucket with Object Lock. */
export interface DefaultRetention {
  mode: "GOVERNANCE" | "COMPLIANCE";
  days: number;
}

/** Content of one bucket. Bodies are in files, which stay until the server stops: an answer may still read them. */
export class Bucket {
  readonly name: string;
  readonly created: Date;
  /** The current objects. */
  readonly objects: Map<string, StoredObject> = new Map();
  /** Older versions of each key, the newest first. */
  readonly older: Map<string, OlderVersion[]> = new Map();
  versioning: Versioning;
  /** Undefined without Object Lock; null with it but without a default. */
  readonly retention: DefaultRetention | null | undefined;
  readonly uploads: Map<string, StoredUpload> = new Map();
  /** Number of deletions of each key. */
  readonly deletions: Map<string, number> = new Map();

  constructor(name: string, created: Date, versioning?: Versioning, retention?: DefaultRetention | null) {
    this.name = name;
    this.created = created;
    this.versioning = retention === undefined ? versioning : "Enabled";
    this.retention = retention;
  }

  object(key: string): StoredObject {
    const found = this.objects.get(key);
    if (found !== undefined) return found;
    const marker = this.older.get(key)?.[0];
    const headers = marker && { "x-amz-delete-marker": "true", "x-amz-version-id": marker.versionId };
    throw new S3Error(404, "NoSuchKey", "The specified key does not exist.", { Key: key }, headers ?? {});
  }

  /** Stores an object; the previous one becomes an older version, or is removed. */
  put(key: string, object: StoredObject): StoredObject {
    this.#keepVersion(key);
    const { retention } = this;
    const until = new Date(object.modified.getTime() + (retention?.days ?? 0) * 86_400_000);
    const stored: StoredObject = {
      ...object,
      versionId: this.#newVersionId(),
      ...(retention && { lock: { retention: { mode: retention.mode, until } } }),
    };
    this.objects.set(key, stored);
    return stored;
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

  /**
   * Deletes without naming a version.
   *
   * @returns The delete marker that was written; undefined without versioning.
   */
  delete(key: string, now: Date = new Date()): OlderVersion | undefined {
    if (this.objects.has(key)) this.deletions.set(key, (this.deletions.get(key) ?? 0) + 1);
    this.#keepVersion(key);
    if (this.versioning === undefined) return undefined;
    const marker = { versionId: this.#newVersionId(), modified: now, object: undefined };
    this.older.set(key, [marker, ...(this.older.get(key) ?? [])]);
    return marker;
  }

  /** Deletes one version permanently; the newest remaining one becomes the current one. */
  deleteVersion(key: string, versionId: string): OlderVersion | undefined {
    const current = this.objects.get(key);
    const older = this.older.get(key) ?? [];
    const all = current === undefined ? older : [asOlder(current), ...older];
    const found = all.find((each) => each.versionId === versionId);
    if (found === undefined) return undefined;
    const [newest, ...rest] = all.filter((each) => each !== found);
    this.objects.delete(key);
    if (newest?.object !== undefined) this.objects.set(key, newest.object);
    const left = newest === undefined || newest.object !== undefined ? rest : [newest, ...rest];
    if (left.length === 0) this.older.delete(key);
    else this.older.set(key, left);
    return found;
  }

  /** Keeps nothing without versioning, and no objects without an id if it is suspended. */
  #keepVersion(key: string): void {
    const current = this.objects.get(key);
    this.objects.delete(key);
    const older = [...(current === undefined ? [] : [asOlder(current)]), ...(this.older.get(key) ?? [])];
    const kept = this.versioning === "Enabled" ? older : older.filter(({ versionId }) => versionId !== "null");
    if (kept.length === 0) this.older.delete(key);
    else this.older.set(key, kept);
  }

  #newVersionId(): string {
    return this.versioning === "Enabled" ? randomBytes(24).toString("base64url") : "null";
  }
}

function asOlder(object: StoredObject): OlderVersion {
  return { versionId: object.versionId ?? "null", modified: object.modified, object };
}

/** All buckets of a server. */
export class State {
  readonly buckets: Map<string, Bucket>;
  readonly #directory: string;
  #files = 0;

  /** @param buckets Buckets by name. */
  constructor(buckets: readonly Bucket[], directory: string) {
    this.buckets = new Map(buckets.map((bucket) => [bucket.name, bucket]));
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
