import type { Upload } from "../object_store.ts";
import { Places } from "../places.ts";
import type { GcsApi } from "./api.ts";
import { crc32c, crc32cText } from "./crc32c.ts";
import { GcsFailure } from "./failures.ts";
import type { Answer } from "./http_request.ts";
import { RESOURCE_FIELDS, resourceOf } from "./object_resource.ts";
import { assertSame, IF_NONE, pieceOf } from "./sent_object.ts";
import type { Ending, TriesSoFar } from "./sent_object.ts";
import { inTries, waitAfter } from "./tries.ts";

/** Pieces before the last one are multiples of this: the store keeps no other. */
const QUANTUM = 256 * 1024;

/** So long an upload that is given up may take to say so, in milliseconds. */
const GIVE_UP_MS = 5000;

/** The session is gone: it was cancelled, ran out, or failed. */
const GONE = [404, 410, 499];

/** An upload in pieces, which the store puts together: nobody sees anything of it before its end. One session. */
export class ResumableUpload {
  readonly #api: GcsApi;
  readonly #object: string;
  readonly #upload: Upload;
  readonly #tries: TriesSoFar;
  readonly #signal: AbortSignal | undefined;
  readonly #piece: number;
  readonly #places: Places;
  #session: URL | undefined;
  /** Bytes that the store has, and their checksum. */
  #kept = 0;
  #crc = 0;

  constructor(api: GcsApi, object: string, upload: Upload, tries: TriesSoFar, signal: AbortSignal | undefined) {
    this.#api = api;
    this.#object = object;
    this.#upload = upload;
    this.#tries = tries;
    this.#signal = signal;
    this.#piece = Math.max(QUANTUM, api.limits.partSize - (api.limits.partSize % QUANTUM));
    this.#places = new Places(Math.min(this.#piece, upload.size));
  }

  /** @throws GcsFailure after which {@link cancel} is due; `lostSession` and `damaged` where a new one may go well. */
  async send(): Promise<Ending> {
    if (!(await this.#begin())) return "taken";
    for (;;) {
      const start = this.#kept;
      const answer = await this.#places.lend(Math.min(this.#piece, this.#upload.size - start), async (place) => {
        const piece = await pieceOf(this.#upload, start, place, this.#api);
        const said = await this.#sent(piece);
        if (said.status === 308) this.#keep(piece, start, said);
        return said;
      });
      if (answer.status === 412) return "taken";
      if (answer.status !== 308) return this.#whole(answer);
      this.#upload.sent?.(this.#kept);
    }
  }

  /** Lets the store forget what it has of it. It would do so by itself after a week, and nobody sees it until then. */
  async cancel(): Promise<void> {
    if (this.#session === undefined) return;
    const timeoutMs = Math.min(this.#api.limits.timeoutMs, GIVE_UP_MS);
    try {
      await this.#api.once(
        { method: "DELETE", url: this.#session, expected: [200, 204, ...GONE] },
        undefined,
        timeoutMs,
      );
    } catch (error) {
      // What made the upload fail is told, and not that this fails for the same reason.
      if (!(error instanceof GcsFailure)) throw error;
    }
  }

  /** False where there is an object of that name. */
  async #begin(): Promise<boolean> {
    const { contentType, metadata, size } = this.#upload;
    const parameters = { uploadType: "resumable", name: this.#object, ...IF_NONE, fields: RESOURCE_FIELDS };
    const headers = {
      "content-type": "application/json; charset=UTF-8",
      "x-upload-content-type": contentType,
      "x-upload-content-length": String(size),
    };
    const body = [Buffer.from(JSON.stringify({ metadata, contentType }))];
    const answer = await this.#api.ask(
      { method: "POST", isUpload: true, parameters, headers, body, expected: [200, 201], taken: true },
      this.#signal,
    );
    if (answer.status === 412) return false;
    const { location } = answer.headers;
    if (location === undefined || !URL.canParse(location))
      throw new GcsFailure("other", "an upload without an address");
    this.#session = new URL(location);
    return true;
  }

  /** Sends a piece, and what is left of it where the store has got some; as often as the limits say. */
  async #sent(piece: Buffer): Promise<Answer> {
    const start = this.#kept;
    const { size } = this.#upload;
    const end = start + piece.length;
    const range = `bytes ${start}-${end - 1}/${size}`;
    // The store compares this with what it has, before it makes an object of it.
    if (end === size) this.#tries.crc = crc32c(piece, this.#crc);
    const hash = end === size ? { "x-goog-hash": `crc32c=${crc32cText(this.#tries.crc ?? 0)}` } : {};
    for (let tried = 1; ; tried += 1) {
      try {
        return notGone(await this.#put({ "content-range": range, ...hash }, [piece]));
      } catch (error) {
        if (end === size && error instanceof GcsFailure && error.unsure) this.#tries.isSure = false;
        if (!(error instanceof GcsFailure) || !error.passes || error.kind === "lostSession" || error.kind === "damaged")
          throw error;
        if (tried >= this.#api.limits.tries) throw error;
        await waitAfter(tried, error, this.#signal);
        const question = { "content-range": `bytes */${size}` };
        const there = notGone(await inTries(this.#api.limits, this.#signal, () => this.#put(question, [])));
        this.#tries.isSure ||= there.status === 308;
        // More than before: the next piece begins there.
        if (there.status !== 308 || keptOf(there) !== start) return there;
      }
    }
  }

  async #put(headers: Record<string, string>, body: Buffer[]): Promise<Answer> {
    const url = this.#session as URL;
    const expected = [200, 201, 308, ...GONE];
    return this.#api.once({ method: "PUT", url, headers, body, expected, taken: true }, this.#signal);
  }

  /** Counts what the store has got of a piece. */
  #keep(piece: Buffer, start: number, answer: Answer): void {
    const kept = keptOf(answer);
    // Neither fewer bytes nor none more nor bytes that it was not sent; and with all of them it would be done.
    if (kept <= start || kept > start + piece.length || kept >= this.#upload.size)
      throw new GcsFailure("lostSession", `the store has ${kept} bytes after ${start} and ${piece.length} more`);
    this.#crc = crc32c(piece.subarray(0, kept - start), this.#crc);
    this.#kept = kept;
  }

  async #whole(answer: Answer): Promise<"added"> {
    const { size } = this.#upload;
    await assertSame(this.#api, this.#object, resourceOf(answer), size, this.#tries, this.#signal);
    this.#upload.sent?.(size);
    return "added";
  }
}

/** `Range: bytes=0-N`; none where it has nothing. */
function keptOf({ headers }: Answer): number {
  const [, last] = /^bytes=0-(\d+)$/.exec(headers.range ?? "") ?? [];
  return last === undefined ? 0 : Number(last) + 1;
}

/** @throws GcsFailure after which only a new session helps. */
function notGone(answer: Answer): Answer {
  if (!GONE.includes(answer.status)) return answer;
  throw new GcsFailure("lostSession", `${answer.status} for an upload that went on`);
}
