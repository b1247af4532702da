/**
 * The address of an object in a store, for messages: `s3://bucket/prefix/agents?endpoint=…`.
 *
 * @param place Address of the store.
 */
export function addressBelow(place: string, key: string): string {
  const [, path = place, query = ""] = /^(s3:[^?]*)(\?.*)$/.exec(place) ?? [];
  return `${path.replace(/\/$/, "")}/${key}${query}`;
}
