import { randomBytes } from "node:crypto";
import type { FoundObject, Upload } from "../object_store.ts";
import { crc32c, crc32cText } from "../remote/checksums.ts";
import { RemoteFailure } from "../remote/failures.ts";
import { PartBuffers, readPart } from "../remote/parts.ts";
import type { Change } from "../remote/requests.ts";
import type { ApiRequest, GcsApi } from "./api.ts";
import type { Answer } from "./failures.ts";
import { type GcsObject, objectIn, RESOURCE_FIELDS } from "./objects.ts";

/** Parts before the last one must be multiples of this size. */
const QUANTUM = 256 * 1024;

/** Maximum time to cancel an upload, in milliseconds. */
const CANCEL_TIMEOUT_MS = 5000;

/** Statuses of a session that was cancelled, expired or failed. */
const GONE = [404, 410, 499];

/** Only if no object of that name exists. */
const IF_NONE = { ifGenerationMatch: "0" };

/** Uploads to one bucket. */
export class Uploads {
  readonly #api: GcsApi;
  /** CRC32C of uploads that were read completely. */
  readonly #sums = new WeakMap<Upload, number>();
  /** Uploads whose cancellation is still being sent. */
  readonly #cancelling = new Set<Promise<void>>();

  constructor(api: GcsApi) {
    this.#api = api;
  }

  /** Stores an object in one request: its metadata, including the checksum, and its bytes. */
  async put(upload: Upload, change: Change, signal: AbortSignal | undefined): Promise<void> {
    const answer = await this.#api.requests.send(
      async (abortSignal) => {
        const bytes = await readPart(upload, 0, Buffer.allocUnsafe(upload.size));
        const sum = crc32c(bytes);
        this.#sums.set(upload, sum);
        return this.#api.once(singleRequest(this.#api.place.prefix, upload, bytes, sum), abortSignal);
      },
      signal,
      { change },
    );
    await this.confirm(upload, objectIn(answer, upload.key), change, signal);
    upload.sent?.(upload.size);
  }

  /** Stores an object in parts, which the store joins: nothing of it is visible before the end. */
  async putParts(upload: Upload, change: Change, signal: AbortSignal | undefined): Promise<void> {
    const session = new ResumableUpload(this.#api, upload, change, signal, (sum) => this.#sums.set(upload, sum));
    try {
      await this.confirm(upload, await session.send(), change, signal);
      upload.sent?.(upload.size);
    } catch (error) {
      const cancelled = session.cancel().finally(() => this.#cancelling.delete(cancelled));
      this.#cancelling.add(cancelled);
      // An aborting caller does not wait for it.
      if (signal?.aborted !== true) await cancelled;
      throw error;
    }
  }

  /**
   * Compares the stored object with the upload. The store compares them itself if it can; otherwise a different object
   * is removed again.
   *
   * @throws RemoteFailure that restarts the upload.
   */
  async confirm(upload: Upload, found: FoundObject, change: Change, signal: AbortSignal | undefined): Promise<void> {
    const { size, revision, crc32c: stored } = found as GcsObject;
    const sum = this.#sums.get(upload);
    const sent = sum === undefined ? undefined : crc32cText(sum);
    if (size === upload.size && [undefined, stored].includes(sent)) return;
    const object = this.#api.place.prefix + upload.key;
    const parameters = { ifGenerationMatch: revision };
    change.mayHaveHappened = true;
    await this.#api.ask({ method: "DELETE", object, parameters, expected: [204, 200, 404, 412] }, signal);
    change.mayHaveHappened = false;
    throw new RemoteFailure(
      "damaged",
      `the store has ${size} bytes with CRC32C ${stored}, expected ${upload.size} with ${sent}`,
      {
        restarts: true,
      },
    );
  }

  /** Waits until the store knows which uploads were cancelled. */
  async close(): Promise<void> {
    await Promise.all(this.#cancelling);
  }
}

function singleRequest(prefix: string, upload: Upload, bytes: Buffer, sum: number): ApiRequest {
  const { key, contentType, metadata } = upload;
  const boundary = `perdura-${randomBytes(18).toString("hex")}`;
  const resource = JSON.stringify({ name: prefix + key, contentType, metadata, crc32c: crc32cText(sum) });
  const head =
    `--${boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n${resource}\r\n` +
    `--${boundary}\r\nContent-Type: ${contentType}\r\n\r\n`;
  return {
    method: "POST",
    isUpload: true,
    parameters: { uploadType: "multipart", ...IF_NONE, fields: RESOURCE_FIELDS },
    headers: { "content-type": `multipart/related; boundary=${boundary}` },
    body: [Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--`)],
    carriesBytes: true,
    expected: [200],
  };
}

/** One session of an upload in parts. */
class ResumableUpload {
  readonly #api: GcsApi;
  readonly #upload: Upload;
  readonly #change: Change;
  readonly #signal: AbortSignal | undefined;
  readonly #partSize: number;
  readonly #buffers: PartBuffers;
  #session: URL | undefined;
  /** Number of bytes that the store has, and their checksum. */
  #kept = 0;
  #crc = 0;
  readonly #summed: (sum: number) => void;

  /** @param summed Receives the checksum of the whole, once its last part was read. */
  constructor(
    api: GcsApi,
    upload: Upload,
    change: Change,
    signal: AbortSignal | undefined,
    summed: (sum: number) => void,
  ) {
    const { partSize } = api.requests.limits;
    this.#api = api;
    this.#upload = upload;
    this.#change = change;
    this.#signal = signal;
    this.#summed = summed;
    this.#partSize = Math.max(QUANTUM, partSize - (partSize % QUANTUM));
    this.#buffers = new PartBuffers(Math.min(this.#partSize, upload.size));
  }

  /**
   * @throws RemoteFailure after which {@link cancel} must be called; one that restarts if a new session may succeed.
   */
  async send(): Promise<GcsObject> {
    await this.#begin();
    for (;;) {
      const start = this.#kept;
      const length = Math.min(this.#partSize, this.#upload.size - start);
      const answer = await this.#buffers.lend(length, async (buffer) => {
        const part = await readPart(this.#upload, start, buffer);
        const said = await this.#sent(part);
        if (said.status === 308) this.#keep(part, start, said);
        return said;
      });
      if (answer.status !== 308) return objectIn(answer, this.#upload.key);
      this.#upload.sent?.(this.#kept);
    }
  }

  /** Cancels the session. The store would discard it after a week, and no reader sees it until then. */
  async cancel(): Promise<void> {
    if (this.#session === undefined) return;
    const request: ApiRequest = { method: "DELETE", url: this.#session, expected: [200, 204, ...GONE] };
    const timeoutMs = Math.min(this.#api.requests.limits.timeoutMs, CANCEL_TIMEOUT_MS);
    try {
      await this.#api.requests.once((abortSignal) => this.#api.once(request, abortSignal), undefined, timeoutMs);
    } catch (error) {
      // The error of the upload is reported, not that of the cancellation.
      if (!(error instanceof RemoteFailure)) throw error;
    }
  }

  async #begin(): Promise<void> {
    const { key, contentType, metadata, size } = this.#upload;
    const name = this.#api.place.prefix + key;
    const request: ApiRequest = {
      method: "POST",
      isUpload: true,
      parameters: { uploadType: "resumable", name, ...IF_NONE, fields: RESOURCE_FIELDS },
      headers: {
        "content-type": "application/json; charset=UTF-8",
        "x-upload-content-type": contentType,
        "x-upload-content-length": String(size),
      },
      body: [Buffer.from(JSON.stringify({ metadata, contentType }))],
      expected: [200, 201],
    };
    const { location } = (await this.#api.ask(request, this.#signal)).headers;
    if (location === undefined || !URL.canParse(location))
      throw new RemoteFailure("invalidAnswer", "an upload session without an address");
    this.#session = new URL(location);
  }

  /** Sends a part, and its remaining bytes if the store received some of it, as often as the limits allow. */
  async #sent(part: Buffer): Promise<Answer> {
    const start = this.#kept;
    const { size } = this.#upload;
    const end = start + part.length;
    const isLast = end === size;
    const { requests } = this.#api;
    // The store compares this with the received bytes before it creates the object.
    const sum = isLast ? crc32c(part, this.#crc) : undefined;
    if (sum !== undefined) this.#summed(sum);
    const headers = {
      "content-range": `bytes ${start}-${end - 1}/${size}`,
      ...(sum === undefined ? {} : { "x-goog-hash": `crc32c=${crc32cText(sum)}` }),
    };
    const question = { "content-range": `bytes */${size}` };
    for (let tries = 1; ; tries += 1) {
      try {
        return await requests.once((abortSignal) => this.#put(headers, [part], abortSignal), this.#signal);
      } catch (error) {
        if (!(error instanceof RemoteFailure)) throw error;
        if (isLast && error.mayHaveHappened) this.#change.mayHaveHappened = true;
        if (error.kind === "unaccepted") throw error.restarting();
        error.tries = tries;
        if (!error.passes || tries >= requests.limits.tries) throw error;
        await requests.pauseAfter(error, tries, this.#signal);
      }
      const there = await requests.send((abortSignal) => this.#put(question, [], abortSignal), this.#signal);
      if (there.status === 308) this.#change.mayHaveHappened = false;
      // It has more than before: the next part begins there.
      if (there.status !== 308 || keptOf(there) !== start) return there;
    }
  }

  /** @throws RemoteFailure that restarts the upload when the session is gone. */
  async #put(headers: Record<string, string>, body: Buffer[], signal: AbortSignal): Promise<Answer> {
    const request: ApiRequest = {
      method: "PUT",
      url: this.#session as URL,
      headers,
      body,
      expected: [200, 201, 308, ...GONE],
    };
    const answer = await this.#api.once({ ...request, carriesBytes: body.length > 0 }, signal);
    if (!GONE.includes(answer.status)) return answer;
    throw new RemoteFailure("lostUpload", `${answer.status} for an upload in progress`, { restarts: true });
  }

  /** Counts the bytes of a part that the store received. */
  #keep(part: Buffer, start: number, answer: Answer): void {
    const kept = keptOf(answer);
    // It must have more bytes than before, none that were not sent, and not all, since the upload would then be
    // complete.
    if (kept <= start || kept > start + part.length || kept >= this.#upload.size)
      throw new RemoteFailure(
        "lostUpload",
        `it reports ${kept} bytes, although it had ${start} and ${part.length} more were sent`,
        {
          restarts: true,
        },
      );
    this.#crc = crc32c(part.subarray(0, kept - start), this.#crc);
    this.#kept = kept;
  }
}

/** Reads `Range: bytes=0-N`; absent if the store has no bytes. */
function keptOf({ headers }: Answer): number {
  const [, last] = /^bytes=0-(\d+)$/.exec(headers.range ?? "") ?? [];
  return last === undefined ? 0 : Number(last) + 1;
}
