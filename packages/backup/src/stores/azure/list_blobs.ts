import { StorageError } from "@perdura/internals/errors/errors.js";
import { below } from "./blob_names.ts";
import { asking, UNCHANGED } from "./opened_container.ts";
import type { OpenedContainer } from "./opened_container.ts";

/** Keys and sizes of all blobs whose keys begin so, in the order of the keys' bytes. */
export async function* listBlobs(
  container: OpenedContainer,
  keyPrefix: string,
  pageSize: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ key: string; size: number }, void> {
  const prefix = below(container.prefix, keyPrefix);
  const action = { doing: `listing ${keyPrefix}*`, fate: UNCHANGED };
  let [token, last]: [string | undefined, string] = [undefined, ""];
  do {
    const { blobs, next } = await asking(container, action, signal, async (abortSignal) => {
      const pages = container.client
        .listBlobsFlat({ prefix, abortSignal })
        .byPage({ maxPageSize: pageSize, ...(token !== undefined && { continuationToken: token }) });
      const { value } = await pages.next();
      return { blobs: value?.segment.blobItems ?? [], next: value?.continuationToken as string | undefined };
    });
    for (const { name, properties } of blobs) {
      const key = name.slice(prefix.length - keyPrefix.length);
      // Accounts with a hierarchical namespace put the slash before all other characters, and list directories.
      if (key < last)
        throw new StorageError(
          `${container.place}: listing ${keyPrefix}* failed: the store lists ${key} after ${last}, expected the order of bytes. ${UNCHANGED}`,
          { path: container.place },
        );
      last = key;
      yield { key, size: properties.contentLength as number };
    }
    token = next === "" ? undefined : next;
  } while (token !== undefined);
}
