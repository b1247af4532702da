import { createWriteStream, openSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WriteStream } from "node:fs";
import type { Checksums } from "./checksums.ts";
import { noSuchBucket, noSuchObject } from "./refusal.ts";

/** A complete object. Its bytes are in a separate file. */
export interface StoredObject {
  bucket: string;
  name: string;
  generation: string;
  metageneration: string;
  size: number;
  crc32c: string;
  md5: string;
  contentType: string;
  metadata: Readonly<Record<string, string>> | undefined;
  created: string;
  file: string;
}

export interface BucketOptions {
  name: string;
  /** Requests must name the project that is billed. */
  requesterPays?: boolean;
  /** Only shown: this server does not offer replaced and removed objects. */
  versioning?: boolean;
  /** The same, in seconds; Google's own buckets have a default of one week. */
  softDelete?: number;
  /** Seconds for which an object cannot be deleted. */
  retention?: number;
}

/** Description of the new object in an upload. */
export type Described = Pick<StoredObject, "bucket" | "name" | "contentType" | "metadata">;

/** Buckets with objects by name. Only the newest generation of each is kept: the buckets have no versioning. */
export class Store {
  readonly #buckets = new Map<string, { options: BucketOptions; objects: Map<string, StoredObject> }>();
  readonly #directory: string;
  #files = 0;
  #generation = Date.now() * 1000;

  static async create(buckets: readonly BucketOptions[]): Promise<Store> {
    return new Store(buckets, await mkdtemp(join(tmpdir(), "perdura-gcs-")));
  }

  private constructor(buckets: readonly BucketOptions[], directory: string) {
    this.#directory = directory;
    for (const options of buckets) this.#buckets.set(options.name, { options, objects: new Map() });
  }

  bucket(name: string): BucketOptions {
    return this.#bucket(name).options;
  }

  find(bucket: string, name: string): StoredObject | undefined {
    return this.#bucket(bucket).objects.get(name);
  }

  /** @param generation Restricts the result to this generation. */
  get(bucket: string, name: string, generation?: string): StoredObject {
    const found = this.find(bucket, name);
    if (found === undefined || (generation !== undefined && generation !== found.generation))
      throw noSuchObject(bucket, generation === undefined ? name : `${name}#${generation}`);
    return found;
  }

  /** Objects in the order of the UTF-8 bytes of their names. */
  sorted(bucket: string): StoredObject[] {
    const named = [...this.#bucket(bucket).objects.values()].map((each) => ({ each, bytes: Buffer.from(each.name) }));
    return named.sort((one, other) => Buffer.compare(one.bytes, other.bytes)).map(({ each }) => each);
  }

  put(described: Described, file: string, size: number, checksums: Checksums): StoredObject {
    const { objects } = this.#bucket(described.bucket);
    const earlier = objects.get(described.name);
    this.#generation += 1;
    const stored: StoredObject = {
      ...described,
      generation: String(this.#generation),
      metageneration: "1",
      size,
      crc32c: checksums.crc32c,
      md5: checksums.md5,
      created: new Date().toISOString(),
      file,
    };
    objects.set(described.name, stored);
    if (earlier !== undefined) rmSync(earlier.file, { force: true });
    return stored;
  }

  remove(stored: StoredObject): void {
    this.#bucket(stored.bucket).objects.delete(stored.name);
    rmSync(stored.file, { force: true });
  }

  /** Opens a file for received bytes. */
  newFile(): { path: string; stream: WriteStream } {
    this.#files += 1;
    const path = join(this.#directory, `body-${this.#files}`);
    // Opened here: the server may stop, and its folder be removed, before the stream opens it.
    return { path, stream: createWriteStream(path, { fd: openSync(path, "wx") }) };
  }

  dispose(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #bucket(name: string): { options: BucketOptions; objects: Map<string, StoredObject> } {
    const bucket = this.#buckets.get(name);
    if (bucket === undefined) throw noSuchBucket();
    return bucket;
  }
}
