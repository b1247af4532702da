import { withoutSecrets } from "@perdura/internals/terminal/without_secrets.js";
import type { FoundObject, Keeping, ObjectStore, Removal, Upload } from "../object_store.ts";
import { addBlob } from "./add_blob.ts";
import { blobName } from "./blob_names.ts";
import { noting } from "./doubt.ts";
import { findBlob, isNoBlob } from "./find_blob.ts";
import { hasVersions, isLocked, keepingOf } from "./keeping.ts";
import { listBlobs } from "./list_blobs.ts";
import { asking } from "./opened_container.ts";
import type { OpenedContainer } from "./opened_container.ts";
import { readBlob } from "./read_blob.ts";
import { whatItSaid } from "./reasons.ts";

/** Objects in a container of Azure Blob Storage, as block blobs. */
export class AzureStore implements ObjectStore {
  readonly place: string;
  readonly #container: OpenedContainer;
  readonly #pageSize: number;
  /** Undefined where that was not asked for, or may not be. */
  #hasVersions: boolean | undefined;

  constructor(container: OpenedContainer, pageSize: number) {
    this.place = container.place;
    this.#container = container;
    this.#pageSize = pageSize;
  }

  async add(upload: Upload, signal?: AbortSignal): Promise<"added" | "exists"> {
    return addBlob(this.#container, upload, signal);
  }

  async look(key: string, signal?: AbortSignal): Promise<FoundObject | undefined> {
    return findBlob(this.#container, key, signal);
  }

  async read(object: FoundObject, start: number, into: Buffer, signal?: AbortSignal): Promise<Buffer> {
    return readBlob(this.#container, object, start, into, signal);
  }

  list(prefix: string, signal?: AbortSignal): AsyncIterable<{ key: string; size: number }> {
    return listBlobs(this.#container, prefix, this.#pageSize, signal);
  }

  async remove(key: string, signal?: AbortSignal): Promise<Removal> {
    const blob = this.#container.client.getBlobClient(blobName(this.#container.prefix, key));
    const doubt = { mayBeDone: false };
    const fate = (): string => (doubt.mayBeDone ? "Whether it is still there is not known." : "Nothing was removed.");
    const action = { doing: `removing ${key}`, fate };
    return asking(this.#container, action, signal, async (abortSignal): Promise<Removal> => {
      try {
        const deleted = noting(doubt, () => blob.delete({ abortSignal, deleteSnapshots: "include" }));
        const { _response: response } = await deleted;
        const isFinal = response.headers.get("x-ms-delete-type-permanent");
        if (isFinal === "false") return "retained";
        // An account with versions keeps one, which this answer may not tell.
        return isFinal === "true" && this.#hasVersions === false ? "freed" : "unknown";
      } catch (error) {
        if (isNoBlob(error)) return "freed";
        if (isLocked(error)) return { lockedBy: withoutSecrets(whatItSaid(error as Error)) };
        throw error;
      }
    });
  }

  async keeping(signal?: AbortSignal): Promise<Keeping> {
    this.#hasVersions = await hasVersions(this.#container, signal);
    return keepingOf(this.#container, this.#hasVersions);
  }

  /** Connections without requests keep no process alive, and the SDK shares them with the whole process. */
  async close(): Promise<void> {}
}
