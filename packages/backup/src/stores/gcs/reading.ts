import type { FoundObject } from "../object_store.ts";
import type { GcsApi } from "./api.ts";
import { crc32c, crc32cText } from "./crc32c.ts";
import { GcsFailure } from "./failures.ts";
import type { Answer } from "./http_request.ts";
import { RESOURCE_FIELDS, resourceOf } from "./object_resource.ts";
import type { ObjectResource } from "./object_resource.ts";
import { inTries } from "./tries.ts";

/** Undefined where there is none. */
export async function look(
  api: GcsApi,
  object: string,
  signal: AbortSignal | undefined,
): Promise<ObjectResource | undefined> {
  try {
    return resourceOf(
      await api.ask({ method: "GET", object, parameters: { fields: RESOURCE_FIELDS }, expected: [200] }, signal),
    );
  } catch (error) {
    if (error instanceof GcsFailure && error.kind === "noObject") return undefined;
    throw error;
  }
}

/**
 * Bytes of the object that was found, and of no other one. A condition is asked for and not a generation: in a bucket with
 * versioning the store would give out replaced ones, too.
 */
export async function read(
  api: GcsApi,
  object: string,
  found: FoundObject,
  start: number,
  into: Buffer,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  const { length } = into;
  const parameters = { ifGenerationMatch: found.revision };
  // HTTP has no range without bytes; the object must be there nevertheless.
  if (length === 0) {
    const answer = await api.ask({ method: "GET", object, parameters, expected: [200, 404, 412] }, signal);
    assertThere(answer);
    return into;
  }
  const isWhole = start === 0 && length === found.size;
  const headers: Record<string, string> = isWhole ? {} : { range: `bytes=${start}-${start + length - 1}` };
  return inTries(api.limits, signal, async () => {
    const answer = await api.once(
      {
        method: "GET",
        object,
        parameters: { ...parameters, alt: "media" },
        headers,
        most: length,
        into,
        expected: [isWhole ? 200 : 206, 404, 412],
      },
      signal,
    );
    assertThere(answer);
    const { body } = answer;
    if (body.length !== length) throw new GcsFailure("broken", `${body.length} bytes came, not ${length}`);
    if (isWhole) assertSum(answer);
    else if (!answer.headers["content-range"]?.startsWith(`bytes ${start}-${start + length - 1}/`))
      throw new GcsFailure("other", `bytes of another range came: ${answer.headers["content-range"]}`);
    return body;
  });
}

function assertThere({ status }: Answer): void {
  if (status === 404) throw new GcsFailure("changed", "it is not there any more");
  if (status === 412) throw new GcsFailure("changed", "it is of another generation now");
}

/** The store tells the checksum of the whole object, whatever part of it is read: parts cannot be compared with it. */
function assertSum({ headers, body }: Answer): void {
  const [, told] = /(?:^|[,\s])crc32c=([A-Za-z0-9+/]+=*)/.exec([headers["x-goog-hash"] ?? ""].flat().join(",")) ?? [];
  if (told === undefined) return;
  const came = crc32cText(crc32c(body));
  if (came !== told) throw new GcsFailure("damaged", `the store says the CRC32C is ${told}, and ${came} came`);
}
