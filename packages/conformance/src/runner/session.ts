import { violations } from "../corpus/schemas.ts";
import { AdapterFault } from "../protocol/channel.ts";
import type { AdapterSource, Channel } from "../protocol/channel.ts";
import { checkAnswer } from "../protocol/check_answer.ts";
import { MESSAGE_LIMIT, PROTOCOL } from "../protocol/messages.ts";
import type { Answer, Introduction, Request } from "../protocol/messages.ts";
import { errorLine } from "../report/stderr_text.ts";

/** The suite broke its own protocol, which is never a fault of the adapter. */
class HarnessFault extends Error {}

/** A request without its number, which the session assigns. */
type Unnumbered = Request extends infer R ? (R extends Request ? Omit<R, "seq"> : never) : never;

/** One connection to an adapter, with every message in both directions checked against the protocol's schema. */
export class Session {
  readonly introduction: Introduction;
  readonly #channel: Channel;
  readonly #timeoutMs: number;
  #seq = 0;

  constructor(channel: Channel, timeoutMs: number, introduction: Introduction) {
    this.#channel = channel;
    this.#timeoutMs = timeoutMs;
    this.introduction = introduction;
  }

  /**
   * Connects and sends `hello`.
   * @throws {AdapterFault} when the answer breaks the protocol; the adapter has then been ended.
   */
  static async open(
    source: AdapterSource,
    options: { line: string; sandbox: string; timeoutMs: number },
  ): Promise<Session> {
    const channel = await source.connect();
    try {
      const hello: Request = {
        seq: 0,
        type: "hello",
        protocol: PROTOCOL,
        line: options.line,
        sandbox: options.sandbox,
      };
      const answer = await exchange(channel, hello, options.timeoutMs);
      return new Session(channel, options.timeoutMs, answer as unknown as Introduction);
    } catch (error) {
      await channel.close();
      throw withDiagnostics(error, channel);
    }
  }

  /**
   * Sends one request and returns the checked answer.
   * @throws {AdapterFault} on a crash, a time-out or a breach of the protocol.
   */
  send(request: Unnumbered): Promise<Answer> {
    this.#seq += 1;
    return exchange(this.#channel, { seq: this.#seq, ...request } as Request, this.#timeoutMs);
  }

  diagnostics(): string {
    return this.#channel.diagnostics();
  }

  /** Ends the adapter; sends `bye` first if it still answers. */
  async close(polite: boolean): Promise<void> {
    try {
      if (polite) await this.send({ type: "bye" });
    } finally {
      await this.#channel.close();
    }
  }
}

async function exchange(channel: Channel, request: Request, timeoutMs: number): Promise<Answer> {
  const line = oneLine(request);
  const ours = violations("protocol", request, "request");
  if (ours.length > 0) throw new HarnessFault(`the suite would send an invalid ${request.type}: ${ours.join("; ")}`);
  if (Buffer.byteLength(line) > MESSAGE_LIMIT)
    throw new HarnessFault(`the suite would send a line of more than ${MESSAGE_LIMIT} bytes`);
  const reply = await channel.exchange(line, timeoutMs);
  if (Buffer.byteLength(reply) > MESSAGE_LIMIT)
    throw new AdapterFault("protocol-error", `the adapter sent a line of more than ${MESSAGE_LIMIT} bytes`);
  return checkAnswer(reply, request);
}

/** Text readers of several languages also end a line at these characters; as escapes they are equivalent. */
function oneLine(request: Request): string {
  return JSON.stringify(request).replace(
    /[\u0085\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function withDiagnostics(error: unknown, channel: Channel): unknown {
  const said = errorLine(channel.diagnostics());
  if (error instanceof AdapterFault && said !== undefined) error.message += `; stderr: ${said}`;
  return error;
}
