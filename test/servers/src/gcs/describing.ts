import type { Promised } from "./checksums.ts";
import { parameter } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import { invalid, notImplemented, Refusal } from "./refusal.ts";
import type { Described } from "./store.ts";

/** Members of an object's resource that a sender may set here. */
const MEMBERS = ["name", "bucket", "contentType", "metadata", "crc32c", "md5Hash"];

/** Parameters that describe the object. */
export const DESCRIBING: string[] = ["name", "uploadType"];

export interface Description {
  described: Described;
  promised: Promised;
}

/**
 * Description of the new object in a request.
 *
 * @param bucket The bucket in the path.
 * @param resource The metadata from the JSON.
 * @param contentType The content type of the body, used if the resource has none.
 */
export function descriptionOf(
  exchange: Exchange,
  bucket: string,
  resource: Record<string, unknown>,
  contentType: string | undefined,
): Description {
  const strange = Object.keys(resource).find((member) => !MEMBERS.includes(member));
  if (strange !== undefined) throw notImplemented(`the member ${strange} of an object`);
  const text = (member: string): string | undefined => {
    const value = resource[member];
    if (value !== undefined && typeof value !== "string") throw invalid(`Invalid value for ${member}`);
    return value;
  };
  const name = parameter(exchange, "name") ?? text("name");
  if (name === undefined || name === "") throw new Refusal(400, "required", "Required parameter: name");
  if (text("name") !== undefined && text("name") !== name)
    throw invalid("Value in content does not agree with value in URL: name");
  if (text("bucket") !== undefined && text("bucket") !== bucket)
    throw invalid("Value in content does not agree with value in URL: bucket");
  assertName(name);
  return {
    described: {
      bucket,
      name,
      contentType: text("contentType") ?? contentType ?? "application/octet-stream",
      metadata: metadataOf(resource["metadata"]),
    },
    promised: { crc32c: text("crc32c"), md5: text("md5Hash") },
  };
}

/** Accepts names of 1 to 1024 bytes of UTF-8, without line ends, except those of directories. */
function assertName(name: string): void {
  const bytes = Buffer.byteLength(name);
  if (bytes > 1024)
    throw invalid(`The maximum object length is 1024 characters, but got a name with ${bytes} characters.`);
  if (/[\r\n]/.test(name)) throw invalid("Disallowed unicode characters present in object name");
  if (name === "." || name === ".." || name.startsWith(".well-known/acme-challenge/"))
    throw invalid(`Invalid object name: ${name}`);
}

function metadataOf(value: unknown): Record<string, string> | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "object" || Array.isArray(value)) throw invalid("Invalid value for metadata");
  const entries = Object.entries(value).filter(([, each]) => each !== null);
  if (entries.some(([, each]) => typeof each !== "string")) throw invalid("Invalid value for metadata");
  const bytes = entries.reduce(
    (sum, [name, each]) => sum + Buffer.byteLength(name) + Buffer.byteLength(String(each)),
    0,
  );
  if (bytes > 8192) throw invalid("The total size of the custom metadata exceeds the limit of 8192 bytes.");
  return Object.fromEntries(entries) as Record<string, string>;
}
