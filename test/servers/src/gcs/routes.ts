import { CONDITIONS, assertConditions, conditionsOf } from "./conditions.ts";
import { getObject } from "./downloads.ts";
import { answerJson, assertKnown, header, parameter } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import { listObjects } from "./listing.ts";
import { invalid, notImplemented, Refusal } from "./refusal.ts";
import { partOf, resourceOf } from "./resource.ts";
import type { ResumableUploads } from "./resumable_uploads.ts";
import { uploadMedia, uploadMultipart } from "./simple_uploads.ts";
import type { BucketOptions, Store } from "./store.ts";
import type { Tokens } from "./tokens.ts";

/** Parts of the server that requests need. */
export interface House {
  store: Store;
  uploads: ResumableUploads;
  tokens: Tokens;
  endpoint: string;
  options: { pageSize?: number; sessionsAt?: string };
}

/** Routes a request and answers it. */
export async function route(exchange: Exchange, house: House): Promise<void> {
  const { pathname } = exchange.url;
  const method = exchange.request.method ?? "";
  if (method === "POST" && pathname === "/token") return house.tokens.answer(exchange, `${house.endpoint}/token`);
  house.tokens.assertAccess(exchange);
  const [, area, bucket = "", rest] =
    /^(\/upload|\/download)?(?:\/storage\/v1)?\/b\/([^/]+)(\/.*)?$/.exec(pathname) ?? [];
  const name = /^\/o\/([^/]+)$/.exec(rest ?? "")?.[1];
  // The address of a session contains its bucket, and was given to an authenticated client.
  if (area === "/upload" && rest === "/o") return upload(exchange, house, bucket, method);
  if (bucket !== "") assertPayer(exchange, house.store, bucket);
  if (bucket !== "" && name !== undefined && area !== "/upload") {
    const object = nameOf(name);
    if (method === "GET") return getObject(exchange, house.store, bucket, object, house.endpoint);
    if (method === "DELETE") return remove(exchange, house.store, bucket, object);
  }
  if (bucket !== "" && area === undefined && method === "GET") {
    if (rest === "/o") return listObjects(exchange, house, bucket);
    if (rest === undefined) return getBucket(exchange, house.store.bucket(bucket));
  }
  throw notImplemented(`${method} ${pathname}`);
}

async function upload(exchange: Exchange, house: House, bucket: string, method: string): Promise<void> {
  assertPayer(exchange, house.store, bucket);
  const { store, uploads, endpoint } = house;
  const type = parameter(exchange, "uploadType");
  const isSession = parameter(exchange, "upload_id") !== undefined;
  if (isSession && method === "DELETE") return uploads.cancel(exchange);
  if (!isSession && type === "resumable" && method === "POST")
    return uploads.begin(exchange, bucket, house.options.sessionsAt ?? endpoint);
  let stored;
  if (isSession && (method === "PUT" || method === "POST")) {
    stored = await uploads.send(exchange);
    if (stored === undefined) return;
  } else if (method === "POST" && type === "media") stored = await uploadMedia(exchange, store, bucket);
  else if (method === "POST" && type === "multipart") stored = await uploadMultipart(exchange, store, bucket);
  else throw invalid(`Invalid upload request: ${method}, uploadType ${type ?? "none"}`);
  answerJson(exchange, partOf(resourceOf(stored, endpoint), parameter(exchange, "fields")));
}

function remove(exchange: Exchange, store: Store, bucket: string, name: string): void {
  assertKnown(exchange, [...CONDITIONS, "generation"]);
  const found = store.get(bucket, name, parameter(exchange, "generation"));
  assertConditions(conditionsOf(exchange), found);
  const end = new Date(Date.parse(found.created) + (store.bucket(bucket).retention ?? 0) * 1000);
  if (end > new Date())
    throw new Refusal(
      403,
      "retentionPolicyNotMet",
      `Object '${bucket}/${name}' is subject to bucket's retention policy or object retention and cannot be deleted or overwritten until ${end.toISOString()}`,
    );
  store.remove(found);
  exchange.response.writeHead(204).end();
}

function getBucket(exchange: Exchange, { name, versioning, softDelete = 0, retention }: BucketOptions): void {
  assertKnown(exchange, ["fields", "projection"]);
  const bucket = {
    kind: "storage#bucket",
    id: name,
    name,
    location: "US",
    storageClass: "STANDARD",
    metageneration: "1",
    ...(versioning === undefined ? {} : { versioning: { enabled: versioning } }),
    softDeletePolicy: { retentionDurationSeconds: String(softDelete) },
    ...(retention === undefined ? {} : { retentionPolicy: { retentionPeriod: String(retention) } }),
  };
  answerJson(exchange, partOf(bucket, parameter(exchange, "fields")));
}

/** Checks that the bucket exists and that the request names a payer if necessary. */
function assertPayer(exchange: Exchange, store: Store, bucket: string): void {
  const { requesterPays = false } = store.bucket(bucket);
  const payer = parameter(exchange, "userProject") ?? header(exchange, "x-goog-user-project");
  if (requesterPays && payer === undefined)
    throw new Refusal(400, "required", "Bucket is a requester pays bucket but no user project provided.");
}

function nameOf(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw invalid("Invalid object name");
  }
}
