import { quote } from "@perdura/internals/text/describe.js";
import type { FoundObject, Keeping, ObjectStore, Removal, Upload } from "../object_store.ts";
import { addInParts } from "./add_in_parts.ts";
import { putObject } from "./add_object.ts";
import { Tried } from "./thrown.ts";
import { failureOf } from "./failures.ts";
import { foundObject } from "./found_object.ts";
import type { Target } from "./found_object.ts";
import { listedObjects } from "./list_objects.ts";
import { readObject } from "./read_object.ts";
import { removeObject } from "./remove_object.ts";
import type { S3Address } from "./address.ts";
import { keepingOf } from "./versioning.ts";

const UNCHANGED = "What is stored is as it was.";

/** Objects in a bucket, below a prefix. */
export class S3Store implements ObjectStore {
  readonly place: string;
  readonly #target: Target;
  readonly #secrets: readonly string[];
  readonly #ownClient: boolean;
  readonly #endpoint: string | undefined;

  constructor({ place, endpoint }: S3Address, target: Target, secrets: readonly string[], ownClient: boolean) {
    this.place = place;
    this.#endpoint = endpoint;
    this.#target = target;
    this.#secrets = secrets;
    this.#ownClient = ownClient;
  }

  add(upload: Upload, signal?: AbortSignal): Promise<"added" | "exists"> {
    const add = upload.size > this.#target.limits.partSize ? addInParts : putObject;
    return this.#within(`adding ${quote(upload.key)}`, "Nothing was stored.", signal, () =>
      add(this.#target, upload, signal),
    );
  }

  look(key: string, signal?: AbortSignal): Promise<FoundObject | undefined> {
    return this.#within(`looking for ${quote(key)}`, UNCHANGED, signal, () => foundObject(this.#target, key, signal));
  }

  read(object: FoundObject, start: number, into: Buffer, signal?: AbortSignal): Promise<Buffer> {
    return this.#within(`reading ${quote(object.key)}`, UNCHANGED, signal, () =>
      readObject(this.#target, this.place, object, start, into, signal),
    );
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<{ key: string; size: number }> {
    const objects = listedObjects(this.#target, prefix, signal);
    for (;;) {
      const { value, done } = await this.#within(`listing ${quote(prefix)}`, UNCHANGED, signal, () => objects.next());
      if (done === true) return;
      yield value;
    }
  }

  remove(key: string, signal?: AbortSignal): Promise<Removal> {
    return this.#within(`removing ${quote(key)}`, UNCHANGED, signal, () =>
      removeObject(this.#target, key, this.#secrets, signal),
    );
  }

  keeping(signal?: AbortSignal): Promise<Keeping> {
    return this.#within("asking for its versioning", UNCHANGED, signal, () =>
      keepingOf(this.#target, this.#endpoint, signal),
    );
  }

  async close(): Promise<void> {
    if (this.#ownClient) this.#target.client.destroy();
  }

  /** Does something; what it throws becomes an error of perdura, except for the reason of the caller's own signal. */
  async #within<Result>(
    action: string,
    fate: string,
    signal: AbortSignal | undefined,
    task: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await task();
    } catch (error) {
      if (signal?.aborted === true && error === signal.reason) throw error;
      throw failureOf(error, this.place, action, fateAfter(error, action, fate), this.#secrets);
    }
  }
}

/** Whoever got no answer does not know whether it was done. */
function fateAfter(error: unknown, action: string, fate: string): string {
  if (!(error instanceof Tried && error.unknown) || !/^(?:adding|removing)/.test(action)) return fate;
  return action.startsWith("adding")
    ? "Whether it was stored is not known: an answer was missing."
    : "Whether it was removed is not known: an answer was missing.";
}
