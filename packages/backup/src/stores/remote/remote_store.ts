import { StorageError } from "@perdura/internals/errors/errors.js";
import type { FoundObject, Retention, ObjectStore, Removal, Upload } from "../object_store.ts";
import { RemoteFailure, storageError } from "./failures.ts";
import { ShortUpload, UnreadableUpload } from "./parts.ts";
import type { Change, Requests } from "./requests.ts";

/**
 * The requests of one kind of remote store. Each method sends them through {@link requests} and throws a RemoteFailure
 * for a refusal of the store; {@link RemoteStore} handles retries, timeouts, messages and uncertain changes.
 */
export interface RemoteClient {
  /** The address, without secrets. */
  readonly place: string;
  readonly requests: Requests;
  /** True if the store checks only after the last part of an upload whether an object of its name exists. */
  readonly refusesLate: boolean;
  /** Checks a key and an upload before anything is sent. */
  assertUpload?(upload: Upload): void;
  /**
   * Stores an object in one request, unless its name exists.
   *
   * @throws RemoteFailure of kind `exists` if its name exists.
   */
  put(upload: Upload, change: Change, signal: AbortSignal | undefined): Promise<void>;
  /** Stores an object in parts, which no reader sees before the last step. */
  putParts(upload: Upload, change: Change, signal: AbortSignal | undefined): Promise<void>;
  /**
   * Compares an object that this upload stored without an answer with the sent bytes; absent if the store compares
   * them.
   *
   * @throws RemoteFailure that restarts the upload.
   */
  confirm?(upload: Upload, found: FoundObject, change: Change, signal: AbortSignal | undefined): Promise<void>;
  look(key: string, signal: AbortSignal | undefined): Promise<FoundObject | undefined>;
  /** Fills a buffer of at least one byte; its range is inside the object. */
  read(object: FoundObject, start: number, into: Buffer, signal: AbortSignal | undefined): Promise<void>;
  list(prefix: string, signal: AbortSignal | undefined): AsyncGenerator<{ key: string; size: number }, void>;
  remove(key: string, change: Change, signal: AbortSignal | undefined): Promise<Removal>;
  keeping(signal: AbortSignal | undefined): Promise<Retention>;
  close(): Promise<void>;
}

/** A bucket or container, below a prefix. */
export class RemoteStore implements ObjectStore {
  readonly place: string;
  readonly #client: RemoteClient;

  constructor(client: RemoteClient) {
    this.place = client.place;
    this.#client = client;
  }

  async add(upload: Upload, signal?: AbortSignal): Promise<"added" | "exists"> {
    this.#client.assertUpload?.(upload);
    const change: Change = { mayHaveHappened: false };
    const fates = ["Nothing was stored.", "The upload may have succeeded; check before retrying."] as const;
    return this.#act(`store ${upload.key}`, signal, () => this.#add(upload, change, signal), change, fates);
  }

  find(key: string, signal?: AbortSignal): Promise<FoundObject | undefined> {
    return this.#act(`look up ${key}`, signal, () => this.#client.look(key, signal));
  }

  read(object: FoundObject, start: number, into: Buffer, signal?: AbortSignal): Promise<Buffer> {
    const { key, size, revision } = object;
    return this.#act(`read ${key}`, signal, async () => {
      if (start + into.length > size)
        throw new StorageError(
          `cannot read ${key}: ${into.length} bytes at offset ${start} were requested, but the object has ${size} bytes.`,
          { path: this.place },
        );
      if (into.length > 0) await this.#client.read(object, start, into, signal);
      // An empty range cannot be requested, but the object must exist nevertheless.
      else if ((await this.#client.look(key, signal))?.revision !== revision) throw new RemoteFailure("changed", "");
      return into;
    });
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<{ key: string; size: number }, void> {
    const objects = this.#client.list(prefix, signal);
    const action = `list ${prefix === "" ? "the objects" : `${prefix}*`}`;
    for (;;) {
      const { value, done } = await this.#act(action, signal, () => objects.next());
      if (done === true) return;
      yield value;
    }
  }

  remove(key: string, signal?: AbortSignal): Promise<Removal> {
    const change: Change = { mayHaveHappened: false };
    const fates = ["Nothing was removed.", "The removal may have succeeded; check before retrying."] as const;
    return this.#act(`remove ${key}`, signal, () => this.#client.remove(key, change, signal), change, fates);
  }

  retention(signal?: AbortSignal): Promise<Retention> {
    return this.#act("read the versioning settings", signal, () => this.#client.keeping(signal));
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #add(upload: Upload, change: Change, signal: AbortSignal | undefined): Promise<"added" | "exists"> {
    const { limits } = this.#client.requests;
    let reported = -1;
    const sent = (bytes: number): void => {
      reported = bytes;
      upload.sent?.(bytes);
    };
    const reporting = { ...upload, sent };
    const inParts = upload.size > limits.partSize;
    if (inParts && this.#client.refusesLate) {
      const found = await this.#client.look(upload.key, signal);
      if (found !== undefined) return isOf(upload, found) ? "added" : "exists";
    }
    for (let tries = 1; ; tries += 1) {
      let failure: RemoteFailure;
      try {
        await (inParts
          ? this.#client.putParts(reporting, change, signal)
          : this.#client.put(reporting, change, signal));
        return "added";
      } catch (error) {
        if (!(error instanceof RemoteFailure)) throw error;
        failure = error;
      }
      try {
        const settled = await this.#settled(reporting, failure, change, signal);
        if (settled === "added" && reported !== upload.size) sent(upload.size);
        if (settled !== undefined) return settled;
      } catch (error) {
        if (!(error instanceof RemoteFailure)) throw error;
        failure = error;
      }
      const removedMeanwhile = failure.kind === "exists";
      if (!(failure.restarts || removedMeanwhile)) throw failure;
      failure.tries = tries;
      if (tries >= limits.tries) throw failure;
      await this.#client.requests.pauseAfter(failure, tries, signal);
    }
  }

  /**
   * After a failed upload, determines whose object exists or may exist; undefined if that does not settle the upload.
   */
  async #settled(
    upload: Upload,
    failure: RemoteFailure,
    change: Change,
    signal: AbortSignal | undefined,
  ): Promise<"added" | "exists" | undefined> {
    if (failure.kind !== "exists" && !change.mayHaveHappened) return undefined;
    let found: FoundObject | undefined;
    try {
      found = await this.#client.look(upload.key, signal);
    } catch (error) {
      signal?.throwIfAborted();
      // If this fails too, the error of the upload is more useful.
      throw error instanceof RemoteFailure && failure.kind !== "exists" ? failure : error;
    }
    // A request whose answer was lost may still be running, so the result is uncertain.
    if (found === undefined) return undefined;
    if (isOf(upload, found)) {
      await this.#client.confirm?.(upload, found, change, signal);
      return "added";
    }
    if (failure.kind === "exists") return "exists";
    change.mayHaveHappened = false;
    return undefined;
  }

  /**
   * Runs a task and translates failures into errors of perdura; the reason of the caller's own signal is thrown
   * unchanged.
   */
  async #act<Result>(
    action: string,
    signal: AbortSignal | undefined,
    task: () => Promise<Result>,
    change?: Change,
    [unchanged, uncertain]: readonly [string, string] | readonly ["", ""] = ["", ""],
  ): Promise<Result> {
    try {
      return await task();
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof UnreadableUpload) throw this.#sourceError(error.cause, action);
      if (!(error instanceof RemoteFailure)) throw error;
      const isUncertain = change?.mayHaveHappened === true;
      throw storageError(this.place, action, error, isUncertain ? uncertain : unchanged, isUncertain);
    }
  }

  /** Returns an error of the caller's code unchanged. */
  #sourceError(cause: unknown, action: string): unknown {
    if (!(cause instanceof ShortUpload)) return cause;
    return new StorageError(`cannot ${action}: ${cause.message}. Nothing was stored.`, {
      path: this.place,
    });
  }
}

/** True if the existing object belongs to this upload: a request whose answer was lost may have succeeded. */
function isOf(upload: Upload, { metadata }: FoundObject): boolean {
  const { upload: id } = upload.metadata;
  return id !== undefined && metadata["upload"] === id;
}
