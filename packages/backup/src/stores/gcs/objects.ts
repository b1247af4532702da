import type { FoundObject, Removal } from "../object_store.ts";
import { crc32c, crc32cText } from "../remote/checksums.ts";
import { RemoteFailure } from "../remote/failures.ts";
import { truncated } from "../remote/parts.ts";
import type { Change } from "../remote/requests.ts";
import { type GcsApi, jsonOf } from "./api.ts";
import type { Answer } from "./failures.ts";

/**
 * An object with its checksum in base64, as Google writes it; undefined for some objects that were created in another
 * way.
 */
export interface GcsObject extends FoundObject {
  crc32c: string | undefined;
}

/** The members of the API's resource to request. */
export const RESOURCE_FIELDS = "name,size,generation,crc32c,metadata";

/** @throws RemoteFailure when the answer is not one of Google's. */
export function objectIn({ body }: Answer, key: string): GcsObject {
  const { name, size, generation, crc32c: sum, metadata = {} } = jsonOf(body);
  if (typeof name !== "string" || typeof generation !== "string" || !/^\d+$/.test(String(size)))
    throw new RemoteFailure(
      "invalidAnswer",
      `an object without name, size or generation: ${body.toString().slice(0, 100)}`,
    );
  return {
    key,
    size: Number(size),
    metadata: metadata as Record<string, string>,
    revision: generation,
    crc32c: typeof sum === "string" ? sum : undefined,
  };
}

/** Finds an object; undefined if it does not exist. */
export async function findObject(
  api: GcsApi,
  key: string,
  signal: AbortSignal | undefined,
): Promise<GcsObject | undefined> {
  const object = api.place.prefix + key;
  const parameters = { fields: RESOURCE_FIELDS };
  try {
    return objectIn(await api.ask({ method: "GET", object, parameters, expected: [200] }, signal), key);
  } catch (error) {
    if (error instanceof RemoteFailure && error.kind === "missingObject") return undefined;
    throw error;
  }
}

/**
 * Reads bytes of exactly the object that was found. Uses a condition, not a generation: in a bucket with versioning the
 * store would also return replaced generations.
 */
export async function readObject(
  api: GcsApi,
  { key, size, revision }: FoundObject,
  start: number,
  into: Buffer,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { length } = into;
  const object = api.place.prefix + key;
  const parameters = { ifGenerationMatch: revision, alt: "media" };
  const isWhole = start === 0 && length === size;
  const range = `bytes=${start}-${start + length - 1}`;
  const headers: Record<string, string> = isWhole ? {} : { range };
  await api.requests.send(async (abortSignal) => {
    const expected = [isWhole ? 200 : 206, 404, 412];
    const answer = await api.once({ method: "GET", object, parameters, headers, into, expected }, abortSignal);
    const { status, body } = answer;
    if (status === 404 || status === 412) throw new RemoteFailure("changed", `${status}`);
    if (body.length !== length) throw truncated(body.length, length);
    if (isWhole) assertChecksum(answer);
    else if (!answer.headers["content-range"]?.startsWith(`${range.replace("=", " ")}/`))
      throw new RemoteFailure("invalidAnswer", `requested ${range}, received ${answer.headers["content-range"]}`);
  }, signal);
}

/** The store sends the checksum of the whole object for any part of it, so parts cannot be compared with it. */
function assertChecksum({ headers, body }: Answer): void {
  const [, hash] = /(?:^|[,\s])crc32c=([A-Za-z0-9+/]+=*)/.exec([headers["x-goog-hash"] ?? ""].flat().join(",")) ?? [];
  if (hash === undefined) return;
  const came = crc32cText(crc32c(body));
  if (came !== hash) throw new RemoteFailure("damaged", `CRC32C ${came}, expected ${hash}`);
}

/** Lists keys and sizes of all objects whose keys have the prefix, in the order of their bytes, page by page. */
export async function* listObjects(
  api: GcsApi,
  beginning: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ key: string; size: number }, void> {
  const { prefix } = api.place;
  let pageToken: string | undefined;
  do {
    const fields = "items(name,size),nextPageToken";
    const parameters = { prefix: prefix + beginning, maxResults: "1000", fields, pageToken };
    const { body } = await api.ask({ method: "GET", parameters, expected: [200] }, signal);
    const { items = [], nextPageToken } = jsonOf(body);
    if (!Array.isArray(items)) throw new RemoteFailure("invalidAnswer", "a page of a list without items");
    for (const { name, size } of items as { name: string; size: string }[]) {
      const key = name.slice(prefix.length);
      // Google's console represents a folder by an empty object with a slash at its end.
      if (key !== "") yield { key, size: Number(size) };
    }
    pageToken = typeof nextPageToken === "string" && nextPageToken !== "" ? nextPageToken : undefined;
  } while (pageToken !== undefined);
}

/** Removes an object. */
export async function removeObject(
  api: GcsApi,
  key: string,
  change: Change,
  signal: AbortSignal | undefined,
): Promise<Removal> {
  const object = api.place.prefix + key;
  try {
    await api.ask({ method: "DELETE", object, expected: [200, 204] }, signal, { change });
    // The answer is the same, whatever the bucket does with the object.
    return "unknown";
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    if (error.kind === "missingObject") return "freed";
    if (error.kind === "locked") return { lockedBy: error.message };
    throw error;
  }
}
