import type { GcsApi } from "./api.ts";
import { GcsFailure } from "./failures.ts";
import { jsonOf } from "./object_resource.ts";

/** Names and sizes of all objects whose names begin so, in the order of their bytes, page by page. */
export async function* list(
  api: GcsApi,
  prefix: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ name: string; size: number }> {
  let pageToken: string | undefined;
  do {
    const parameters = { prefix, maxResults: "1000", fields: "items(name,size),nextPageToken", pageToken };
    const { body } = await api.ask({ method: "GET", parameters, expected: [200] }, signal);
    const { items = [], nextPageToken } = jsonOf(body);
    if (!Array.isArray(items)) throw new GcsFailure("other", "a page without items");
    for (const { name, size } of items as { name: string; size: string }[]) yield { name, size: Number(size) };
    pageToken = typeof nextPageToken === "string" && nextPageToken !== "" ? nextPageToken : undefined;
  } while (pageToken !== undefined);
}
