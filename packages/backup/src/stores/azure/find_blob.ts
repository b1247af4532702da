import type { FoundObject } from "../object_store.ts";
import { blobName } from "./blob_names.ts";
import { codeOf } from "./failed_tries.ts";
import type { RestFailure } from "./failed_tries.ts";
import { asking, UNCHANGED } from "./opened_container.ts";
import type { Action, OpenedContainer } from "./opened_container.ts";

/** What the service knows of a blob; undefined where there is none. */
export async function findBlob(
  container: OpenedContainer,
  key: string,
  signal: AbortSignal | undefined,
  action: Action = { doing: `looking for ${key}`, fate: UNCHANGED },
): Promise<FoundObject | undefined> {
  const blob = container.client.getBlobClient(blobName(container.prefix, key));
  return asking(container, action, signal, async (abortSignal) => {
    try {
      const { contentLength, metadata = {}, etag } = await blob.getProperties({ abortSignal });
      return { key, size: contentLength as number, metadata, revision: etag as string };
    } catch (error) {
      if (isNoBlob(error)) return undefined;
      throw error;
    }
  });
}

/** Not where the container is missing: that is an error, and no store without objects. */
export function isNoBlob(error: unknown): boolean {
  return (error as RestFailure).statusCode === 404 && !/^(?:Container|Account)/.test(codeOf(error));
}
