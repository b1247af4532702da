import { randomBytes } from "node:crypto";
import { promisedByHeader } from "./checksums.ts";
import { assertConditions, CONDITIONS, conditionsOf } from "./conditions.ts";
import { contentRangeOf } from "./content_range.ts";
import { DESCRIBING, descriptionOf } from "./describing.ts";
import { assertKnown, bodyOf, header, jsonOf, parameter } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import { arriving } from "./incoming.ts";
import { invalid, Refusal } from "./refusal.ts";
import { ResumableSession } from "./resumable_session.ts";
import type { Store, StoredObject } from "./store.ts";

/** Resumable uploads by id, which only their senders know. */
export class ResumableUploads {
  readonly #sessions = new Map<string, ResumableSession>();
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Number of uploads that are neither finished nor cancelled. */
  get open(): number {
    return [...this.#sessions.values()].filter(({ state }) => state === "open").length;
  }

  /** Number of all uploads. */
  get begun(): number {
    return this.#sessions.size;
  }

  /** Begins an upload. The answer contains its address. */
  async begin(exchange: Exchange, bucket: string, endpoint: string): Promise<void> {
    assertKnown(
      exchange,
      [...DESCRIBING, ...CONDITIONS, "fields"],
      ["x-upload-content-type", "x-upload-content-length"],
    );
    const conditions = conditionsOf(exchange);
    const length = header(exchange, "x-upload-content-length");
    if (length !== undefined && !/^\d{1,15}$/.test(length)) throw invalid(`Invalid X-Upload-Content-Length: ${length}`);
    const resource = jsonOf((await bodyOf(exchange)).toString());
    const description = descriptionOf(exchange, bucket, resource, header(exchange, "x-upload-content-type"));
    assertConditions(conditions, this.#store.find(bucket, description.described.name));
    const id = randomBytes(24).toString("base64url");
    const total = length === undefined ? undefined : Number(length);
    this.#sessions.set(id, new ResumableSession(this.#store, description, conditions, total));
    const query = exchange.url.search.replace(/^\?/, "");
    const location = `${endpoint}/upload/storage/v1/b/${bucket}/o?${query}&upload_id=${id}`;
    exchange.response.writeHead(200, { location, "x-guploader-uploadid": id, "content-length": 0 });
    exchange.response.end();
  }

  /** Receives bytes of an upload, or answers a status request. Returns the object once it is complete. */
  async send(exchange: Exchange): Promise<StoredObject | undefined> {
    const session = this.#of(exchange, ["content-range", "x-goog-hash"]);
    if (session.state === "cancelled") throw new Refusal(499, "cancelled", "Client Closed Request");
    if (session.state === "failed") throw new Refusal(410, "gone", "The upload session is gone.");
    const range = contentRangeOf(header(exchange, "content-range"));
    const isBlind = exchange.fault?.kind === "corruptUnseen";
    const promised = isBlind ? {} : promisedByHeader(header(exchange, "x-goog-hash"));
    const length = header(exchange, "content-length");
    if (session.state === "open" && range.first !== undefined)
      await session.take(range, length === undefined ? undefined : Number(length), arriving(exchange), promised);
    else {
      const body = await bodyOf(exchange);
      if (range.first === undefined && body.length > 0) throw invalid("Invalid request. A status request has no body.");
      if (session.state === "open" && range.total === session.received && range.total > 0)
        await session.finish(promised);
    }
    if (session.stored !== undefined) return session.stored;
    const kept = session.received === 0 ? {} : { range: `bytes=0-${session.received - 1}` };
    exchange.response.writeHead(308, { ...kept, "content-length": 0 });
    exchange.response.end();
    return undefined;
  }

  async cancel(exchange: Exchange): Promise<void> {
    const session = this.#of(exchange, []);
    if (session.state === "open") await session.cancel();
    exchange.response.writeHead(499, { "content-length": 0 });
    exchange.response.end();
  }

  #of(exchange: Exchange, headers: string[]): ResumableSession {
    assertKnown(exchange, [...DESCRIBING, ...CONDITIONS, "fields", "upload_id"], headers);
    const session = this.#sessions.get(parameter(exchange, "upload_id") ?? "");
    if (session === undefined) throw new Refusal(404, "notFound", "No such upload session.");
    return session;
  }
}
