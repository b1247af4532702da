import { assertPromises, promisedByHeader } from "./checksums.ts";
import { assertConditions, CONDITIONS, conditionsOf } from "./conditions.ts";
import { DESCRIBING, descriptionOf } from "./describing.ts";
import { assertKnown, bodyOf, header, jsonOf } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import { arriving, Incoming, isCorrupting } from "./incoming.ts";
import { partsOf } from "./multipart.ts";
import { invalid } from "./refusal.ts";
import type { Store, StoredObject } from "./store.ts";

/** `uploadType=media`: the body is the object. */
export async function uploadMedia(exchange: Exchange, store: Store, bucket: string): Promise<StoredObject> {
  assertKnown(exchange, [...DESCRIBING, ...CONDITIONS, "fields"], ["x-goog-hash"]);
  const conditions = conditionsOf(exchange);
  const { described } = descriptionOf(exchange, bucket, {}, header(exchange, "content-type"));
  const incoming = new Incoming(store);
  try {
    for await (const piece of arriving(exchange)) await incoming.add(piece);
  } finally {
    await incoming.end();
  }
  if (exchange.fault?.kind !== "corruptUnseen")
    assertPromises(incoming.checksums, promisedByHeader(header(exchange, "x-goog-hash")));
  assertConditions(conditions, store.find(bucket, described.name));
  return store.put(described, incoming.file, incoming.size, incoming.checksums);
}

/** `uploadType=multipart`: the object's metadata and then its bytes, as `multipart/related`. */
export async function uploadMultipart(exchange: Exchange, store: Store, bucket: string): Promise<StoredObject> {
  assertKnown(exchange, [...DESCRIBING, ...CONDITIONS, "fields"], ["x-goog-hash"]);
  const conditions = conditionsOf(exchange);
  const parts = partsOf(header(exchange, "content-type"), await bodyOf(exchange));
  const [first, second] = parts;
  if (first === undefined || second === undefined || parts.length !== 2)
    throw invalid(`Multipart must have 2 parts, but has ${parts.length}.`);
  if (!/^application\/json\b/i.test(first.contentType ?? ""))
    throw invalid("Multipart's first part must be application/json.");
  const { described, promised } = descriptionOf(exchange, bucket, jsonOf(first.body.toString()), second.contentType);
  if (isCorrupting(exchange.fault)) second.body[0] = (second.body[0] ?? 0) ^ 1;
  const incoming = new Incoming(store);
  await incoming.add(second.body);
  await incoming.end();
  if (exchange.fault?.kind !== "corruptUnseen")
    assertPromises(incoming.checksums, promised, promisedByHeader(header(exchange, "x-goog-hash")));
  assertConditions(conditions, store.find(bucket, described.name));
  return store.put(described, incoming.file, incoming.size, incoming.checksums);
}
