import { invalid } from "./refusal.ts";
import type { StoredObject } from "./store.ts";

/** An object as the JSON API shows it. */
export function resourceOf(stored: StoredObject, endpoint: string): Record<string, unknown> {
  const { bucket, name, generation } = stored;
  const path = `/storage/v1/b/${bucket}/o/${encodeURIComponent(name)}`;
  return {
    kind: "storage#object",
    id: `${bucket}/${name}/${generation}`,
    selfLink: endpoint + path,
    mediaLink: `${endpoint}/download${path}?generation=${generation}&alt=media`,
    name,
    bucket,
    generation,
    metageneration: stored.metageneration,
    contentType: stored.contentType,
    storageClass: "STANDARD",
    size: String(stored.size),
    md5Hash: stored.md5,
    crc32c: stored.crc32c,
    etag: Buffer.from(`${generation}/${stored.metageneration}`).toString("base64"),
    timeCreated: stored.created,
    updated: stored.created,
    timeStorageClassUpdated: stored.created,
    ...(stored.metadata === undefined ? {} : { metadata: stored.metadata }),
  };
}

/**
 * Selects the fields of a partial response: `items(name,size),nextPageToken`.
 *
 * @param fields Undefined for all.
 */
export function partOf(value: unknown, fields: string | undefined): unknown {
  if (fields === undefined) return value;
  if (!/^[A-Za-z0-9_*/(),]+$/.test(fields)) throw invalid(`Invalid field selection ${fields}`);
  return selected(value, fields);
}

function selected(value: unknown, fields: string): unknown {
  if (Array.isArray(value)) return value.map((each) => selected(each, fields));
  if (typeof value !== "object" || value === null) return value;
  const known = value as Record<string, unknown>;
  const result: Record<string, unknown> = {};
  for (const field of listed(fields)) {
    const [, name, inner] = /^([A-Za-z0-9_]+|\*)(?:\((.*)\)|\/(.+))?$/.exec(field)?.slice(0, 3) ?? [];
    if (name === undefined) throw invalid(`Invalid field selection ${field}`);
    const nested = inner ?? field.split("/").slice(1).join("/");
    for (const each of name === "*" ? Object.keys(known) : [name]) {
      if (each in known) result[each] = nested === "" ? known[each] : selected(known[each], nested);
    }
  }
  return result;
}

/** Splits at commas outside of parentheses. */
function listed(fields: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const character of fields) {
    if (character === "," && depth === 0) parts.push("");
    else parts.push(parts.pop() + character);
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
  }
  if (depth !== 0 || parts.includes("")) throw invalid(`Invalid field selection ${fields}`);
  return parts;
}
