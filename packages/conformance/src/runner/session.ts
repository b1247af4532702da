import { violations } from "../values/schemas.ts";
import { AdapterFault } from "../protocol/channel.ts";
import type { AdapterSource, Channel } from "../protocol/channel.ts";
import { checkAnswer } from "../protocol/check_answer.ts";
import { MESSAGE_LIMIT, PROTOCOL } from "../protocol/messages.ts";
import type { Answer, Introduction, Request } from "../protocol/messages.ts";
import { errorLine } from "../results/stderr_text.ts";

/** The suite broke its own protocol, which is never a fault of the adapter. */
class HarnessFault extends Error {}

/** A request without its number, which the session assigns. */
type Unnumbered = Request extends infer R ? (R extends Request ? Omit<R, "seq"> : never) : never;

type Begin = Extract<Unnumbered, { type: "begin" }>;

interface SessionOptions {
  line: string;
  sandbox: string;
  timeoutMs: number;
  /** Keeps the messages of each case. */
  keepsMessages?: boolean;
  /** Ends the adapter early; afterwards nothing is sent. */
  signal?: AbortSignal | undefined;
}

/** A channel whose adapter has introduced itself. */
interface Opened {
  channel: Channel;
  introduction: Introduction;
}

/** One connection to an adapter, with every message in both directions checked against the protocol's schema. */
export class Session {
  readonly introduction: Introduction;
  readonly #source: AdapterSource;
  readonly #options: SessionOptions;
  /** Undefined after the adapter was killed, until the next request. */
  #channel: Channel | undefined;
  #seq = 0;
  /** The request that began the present case. */
  #begin: Begin | undefined;
  /** The lines of the present case in both directions; undefined if they are not kept. */
  #messages: string[] | undefined;
  /** Channels of killed adapters, until the end of the case. */
  readonly #killed: Channel[] = [];

  private constructor(source: AdapterSource, options: SessionOptions, { channel, introduction }: Opened) {
    this.#source = source;
    this.#options = options;
    this.#channel = channel;
    this.introduction = introduction;
    options.signal?.addEventListener("abort", this.#stop);
  }

  /** The time for an answer. */
  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  readonly #stop = (): void => void this.#channel?.kill();

  /**
   * Connects and sends `hello`.
   * @throws {AdapterFault} when the answer breaks the protocol; the adapter has then been ended.
   */
  static async open(source: AdapterSource, options: SessionOptions): Promise<Session> {
    return new Session(source, options, await connect(source, options));
  }

  /**
   * Sends one request and returns the checked answer. Starts a killed adapter again, in the present case.
   * @throws {AdapterFault} on a crash, a time-out or a breach of the protocol.
   */
  async send(request: Unnumbered): Promise<Answer> {
    this.#options.signal?.throwIfAborted();
    if (this.#channel === undefined) {
      this.#channel = (await connect(this.#source, this.#options)).channel;
      this.#seq = 0;
      if (this.#begin !== undefined) await this.send(this.#begin);
    }
    if (request.type === "begin") {
      // A killed adapter begins the same case again.
      if (this.#options.keepsMessages && request !== this.#begin) this.#messages = [];
      this.#begin = request;
    }
    this.#seq += 1;
    const numbered = { seq: this.#seq, ...request } as Request;
    return exchange(this.#channel, numbered, this.#options.timeoutMs, this.#messages);
  }

  /** The lines of the present case in both directions, `> ` before those of the suite and `< ` before those of the adapter. */
  messages(): readonly string[] {
    return this.#messages ?? [];
  }

  /** Ends the adapter without a warning. */
  async kill(): Promise<void> {
    if (this.#channel === undefined) return;
    await this.#channel.kill();
    this.#killed.push(this.#channel);
    this.#channel = undefined;
  }

  /** Ends the present case. */
  async endCase(): Promise<void> {
    this.#begin = undefined;
    if (this.#channel !== undefined) await this.send({ type: "end" });
    await this.#releaseKilled();
  }

  diagnostics(): string {
    return this.#channel?.diagnostics() ?? "";
  }

  /** Ends the adapter; sends `bye` first if it still answers. */
  async close(polite: boolean): Promise<void> {
    this.#options.signal?.removeEventListener("abort", this.#stop);
    try {
      if (polite && this.#channel !== undefined) await this.send({ type: "bye" });
    } finally {
      await this.#channel?.close();
      await this.#releaseKilled();
    }
  }

  async #releaseKilled(): Promise<void> {
    for (const channel of this.#killed.splice(0)) await channel.close();
  }
}

/** Connects and sends `hello`. */
async function connect(source: AdapterSource, options: SessionOptions): Promise<Opened> {
  const { line, sandbox, timeoutMs, signal } = options;
  signal?.throwIfAborted();
  const channel = await source.connect();
  const stop = (): void => void channel.kill();
  signal?.addEventListener("abort", stop);
  try {
    const hello: Request = { seq: 0, type: "hello", protocol: PROTOCOL, line, sandbox };
    const answer = await exchange(channel, hello, timeoutMs);
    return { channel, introduction: answer as unknown as Introduction };
  } catch (error) {
    await channel.close();
    throw explained(error, channel);
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

/** A large request takes an adapter without a fast JSON parser seconds to read: it gets a second for each 250,000. */
const CHARACTERS_PER_MS = 250;

async function exchange(channel: Channel, request: Request, timeoutMs: number, kept?: string[]): Promise<Answer> {
  const line = oneLine(request);
  const ours = violations("protocol", request, "request");
  if (ours.length > 0) throw new HarnessFault(`the suite would send an invalid ${request.type}: ${ours.join("; ")}`);
  if (Buffer.byteLength(line) > MESSAGE_LIMIT)
    throw new HarnessFault(`the suite would send a line of more than ${MESSAGE_LIMIT} bytes`);
  kept?.push(`> ${line}`);
  try {
    const reply = await channel.exchange(line, timeoutMs + Math.floor(line.length / CHARACTERS_PER_MS));
    kept?.push(`< ${reply}`);
    if (Buffer.byteLength(reply) > MESSAGE_LIMIT)
      throw new AdapterFault("protocol-error", `the adapter sent a line of more than ${MESSAGE_LIMIT} bytes`);
    return checkAnswer(reply, request);
  } catch (error) {
    // The place of a call or a settle is its step, which only the caller knows.
    if (error instanceof AdapterFault && request.type !== "call" && request.type !== "settle")
      error.place = request.type;
    throw error;
  }
}

/** Text readers of several languages also end a line at these characters; as escapes they are equivalent. */
function oneLine(request: Request): string {
  return JSON.stringify(request).replace(
    /[\u0085\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Adds the output to stderr to a fault at the start, which no case shows, and the way out for a slow start. */
function explained(error: unknown, channel: Channel): unknown {
  if (!(error instanceof AdapterFault)) return error;
  const said = errorLine(channel.diagnostics());
  if (said !== undefined) error.message += `; stderr: ${said}`;
  if (error.kind === "timeout") error.message += "; if the program only starts slowly, allow more time with --timeout";
  return error;
}
