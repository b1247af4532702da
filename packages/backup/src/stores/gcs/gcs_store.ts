import type { FoundObject, Keeping, ObjectStore, Removal, Upload } from "../object_store.ts";
import { add } from "./adding.ts";
import type { Cancelling } from "./adding.ts";
import type { GcsApi } from "./api.ts";
import { GcsFailure, storageErrorOf } from "./failures.ts";
import { keepingOf } from "./keeping.ts";
import { list } from "./listing.ts";
import { foundObject } from "./object_resource.ts";
import { look, read } from "./reading.ts";
import type { TriesSoFar } from "./sent_object.ts";

const AS_IT_WAS = "What is stored is as it was.";

/** A bucket, below a prefix. */
export class GcsStore implements ObjectStore {
  readonly place: string;
  readonly #api: GcsApi;
  readonly #prefix: string;
  readonly #cancelling: Cancelling = new Set();

  constructor(api: GcsApi) {
    this.place = api.place.shown;
    this.#api = api;
    this.#prefix = api.place.prefix;
  }

  async add(upload: Upload, signal?: AbortSignal): Promise<"added" | "exists"> {
    const tries: TriesSoFar = { isSure: true, crc: undefined };
    try {
      return await add(this.#api, this.#prefix + upload.key, upload, tries, signal, this.#cancelling);
    } catch (error) {
      const told = tries.isSure ? "Nothing was stored." : "Whether it was stored is not known.";
      throw storageErrorOf(error, this.place, `adding ${upload.key}`, told);
    }
  }

  look(key: string, signal?: AbortSignal): Promise<FoundObject | undefined> {
    return this.#tell(`looking for ${key}`, AS_IT_WAS, async () => {
      const found = await look(this.#api, this.#prefix + key, signal);
      return found === undefined ? undefined : foundObject(key, found);
    });
  }

  read(object: FoundObject, start: number, into: Buffer, signal?: AbortSignal): Promise<Buffer> {
    return this.#tell(`reading ${object.key}`, AS_IT_WAS, () =>
      read(this.#api, this.#prefix + object.key, object, start, into, signal),
    );
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<{ key: string; size: number }> {
    const names = list(this.#api, this.#prefix + prefix, signal);
    for (;;) {
      const next = await this.#tell(`listing ${prefix}`, AS_IT_WAS, () => names.next());
      if (next.done === true) return;
      const { name, size } = next.value;
      const key = name.slice(this.#prefix.length);
      // Google's console stands for a folder by an empty object with a slash at its end.
      if (key !== "") yield { key, size };
    }
  }

  async remove(key: string, signal?: AbortSignal): Promise<Removal> {
    const object = this.#prefix + key;
    return this.#tell(`removing ${key}`, "It may be there still.", async () => {
      try {
        await this.#api.ask({ method: "DELETE", object, expected: [200, 204] }, signal);
        // The answer is the same, whatever the bucket does with it.
        return "unknown";
      } catch (error) {
        if (error instanceof GcsFailure && error.kind === "noObject") return "freed";
        if (error instanceof GcsFailure && error.kind === "locked") return { lockedBy: error.message };
        throw error;
      }
    });
  }

  keeping(signal?: AbortSignal): Promise<Keeping> {
    return this.#tell("asking for its versioning", AS_IT_WAS, () => keepingOf(this.#api, signal));
  }

  async close(): Promise<void> {
    await Promise.all(this.#cancelling);
    this.#api.close();
  }

  async #tell<Result>(action: string, fate: string, task: () => Promise<Result>): Promise<Result> {
    try {
      return await task();
    } catch (error) {
      throw storageErrorOf(error, this.place, action, fate);
    }
  }
}
