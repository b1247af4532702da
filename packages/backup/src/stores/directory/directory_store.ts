import { fstat, read } from "node:fs";
import { mkdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { FileNotFoundError, StorageError } from "@perdura/internals/errors/errors.js";
import { withFileInTurn } from "@perdura/internals/files/guarded_file.js";
import { storageErrorOf } from "@perdura/internals/files/storage_errors.js";
import { syncDirectory, syncDone } from "@perdura/internals/files/sync_directory.js";
import type { FoundObject, ObjectStore, Removal, Upload } from "../object_store.ts";
import { addFile, keysBelow, unlessMissing } from "./files.ts";
import { makeLibraryFolder } from "./library_folder.ts";
import { RemoteFailure, storageError } from "../remote/failures.ts";
import { truncated } from "../remote/parts.ts";

/** The SHA-256 of each object is in a file next to it, in the format of `sha256sum -c`. */
const CHECKSUM = ".sha256";
/** Bytes of the digits and of what separates them from the name. */
const CHECKSUM_BYTES = 66;

const [readFrom, statOf] = [promisify(read), promisify(fstat)];

/** The layout of a bucket in a directory, so that a copy of a bucket's tree is a store as well. */
export class DirectoryStore implements ObjectStore {
  readonly place: string;
  readonly #root: string;

  /** @param place The address, for messages. */
  constructor(root: string, place: string) {
    this.#root = root;
    this.place = place;
  }

  /** Creates only the last directory: if its parent is missing, a disk may not be mounted. */
  async prepare(): Promise<void> {
    await this.#within("creating", async () => {
      try {
        await mkdir(this.#root);
        syncDirectory(dirname(this.#root));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
    });
  }

  add(upload: Upload, signal?: AbortSignal): Promise<"added" | "exists"> {
    const path = this.#pathOf(upload.key);
    return this.#within("storing", async () => {
      signal?.throwIfAborted();
      makeLibraryFolder(dirname(path));
      // The checksum first: without its object it is harmless, but an object must not be without its checksum.
      const checksum = Buffer.from(`${upload.metadata["sha256"]}  ${basename(path)}\n`);
      const beside = { size: checksum.length, read: () => Promise.resolve(checksum) };
      await addFile(`${path}${CHECKSUM}`, beside, signal);
      return addFile(path, upload, signal);
    });
  }

  find(key: string, signal?: AbortSignal): Promise<FoundObject | undefined> {
    return this.#within("reading", async () => {
      signal?.throwIfAborted();
      const path = this.#pathOf(key);
      const found = await unlessMissing(stat(path, { bigint: true }));
      if (found?.isFile() !== true) return undefined;
      const checksum = Buffer.alloc(CHECKSUM_BYTES);
      await unlessMissing(
        withFileInTurn(`${path}${CHECKSUM}`, (file) => readFrom(file, checksum, 0, checksum.length, 0)),
      );
      const sha256 = /^([0-9a-f]{64}) [ *]/.exec(checksum.toString("latin1"))?.[1];
      return {
        key,
        size: Number(found.size),
        metadata: sha256 === undefined ? {} : { sha256 },
        revision: revisionOf(found),
      };
    });
  }

  read(object: FoundObject, start: number, into: Buffer, signal?: AbortSignal): Promise<Buffer> {
    const { length } = into;
    return this.#within("reading", async () => {
      signal?.throwIfAborted();
      const bytes = await unlessMissing(
        withFileInTurn(this.#pathOf(object.key), async (descriptor) => {
          if (revisionOf(await statOf(descriptor, { bigint: true })) !== object.revision) return undefined;
          return (await readFrom(descriptor, into, 0, length, start)).bytesRead;
        }),
      );
      if (bytes === undefined) throw this.#unreadable(object, new RemoteFailure("changed", ""));
      if (bytes === length) return into;
      throw this.#unreadable(object, truncated(bytes, length));
    });
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<{ key: string; size: number }, void> {
    const found = await this.#within("listing", async () => {
      signal?.throwIfAborted();
      const root = await unlessMissing(stat(this.#root));
      if (root === undefined) throw new FileNotFoundError("the directory does not exist.", { path: this.place });
      return keysBelow(this.#root, prefix);
    });
    for (const object of found) if (!object.key.endsWith(CHECKSUM)) yield object;
  }

  remove(key: string, signal?: AbortSignal): Promise<Removal> {
    const path = this.#pathOf(key);
    return this.#within("removing", async (): Promise<Removal> => {
      signal?.throwIfAborted();
      // Checked first: an error of this check after the removal would report that nothing was done.
      if ((await unlessMissing(stat(dirname(path)))) === undefined) return "freed";
      // If the process ends in between, the object is still listed, and the next removal removes it.
      await rm(`${path}${CHECKSUM}`, { force: true });
      await rm(path, { force: true }).catch(reportRemovedChecksum(path));
      syncDone(path, "the version was removed");
      return "freed";
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #unreadable({ key }: FoundObject, failure: RemoteFailure): StorageError {
    return storageError(this.place, `read ${key}`, failure);
  }

  #pathOf(key: string): string {
    return join(this.#root, ...key.split("/"));
  }

  async #within<Result>(action: string, task: () => Promise<Result>): Promise<Result> {
    try {
      return await task();
    } catch (error) {
      throw storageErrorOf(error, this.place, action);
    }
  }
}

/** Reports that a version could not be removed, but its checksum was. */
function reportRemovedChecksum(path: string): (error: unknown) => never {
  return (cause) => {
    throw new StorageError(
      `cannot remove the version: ${(cause as Error).message}. Only its checksum file was removed. Remove the version again.`,
      { path, cause, mayBeWritten: true },
    );
  };
}

function revisionOf({ ino, size, mtimeNs }: { ino: bigint; size: bigint; mtimeNs: bigint }): string {
  return [ino, size, mtimeNs].join("-");
}
