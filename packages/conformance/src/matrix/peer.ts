import { AdapterFault } from "../protocol/channel.ts";
import type { AdapterSource } from "../protocol/channel.ts";
import { Session } from "../runner/session.ts";
import { inRange } from "../corpus/version_range.ts";
import { show } from "../values/escape.ts";
import type { JsonValue } from "../values/json_value.ts";
import { differences } from "./artifacts.ts";
import type { MatrixCall } from "./artifacts.ts";

/** Verdict of a failed step of the matrix. */
export type Breakage = "fail" | "crash" | "timeout" | "protocol-error";

/** A step that failed; the remaining steps of its cell are skipped. */
export class Broken extends Error {
  readonly verdict: Breakage;

  constructor(verdict: Breakage, message: string) {
    super(message);
    this.verdict = verdict;
  }
}

/** One implementation of a matrix, connected. */
export class Peer {
  readonly name: string;
  readonly specVersion: string;
  readonly option: string;
  readonly before16: boolean;
  readonly #open: () => Promise<Session>;
  readonly #capabilities: readonly string[];
  #session: Session | undefined;

  private constructor(open: () => Promise<Session>, session: Session, source: AdapterSource, taken: readonly string[]) {
    const { implementation, spec_version, capabilities } = session.introduction;
    // An implementation of both lines has one version of its own, so the version of the specification is shown, too.
    const line = implementation.version === spec_version ? "" : `, ${spec_version}`;
    const plain = `${implementation.name} ${implementation.version} (${implementation.language}${line})`;
    const same = taken.filter((name) => name === plain || name.startsWith(`${plain} #`)).length;
    this.name = same === 0 ? plain : `${plain} #${same + 1}`;
    this.specVersion = spec_version;
    this.option = source.option;
    this.before16 = inRange(spec_version, "<16.0.0-0");
    this.#capabilities = capabilities;
    this.#open = open;
    this.#session = session;
  }

  /**
   * @param taken names that are already used.
   * @throws {AdapterFault} when the adapter does not start.
   */
  static async connect(source: AdapterSource, sandbox: string, timeoutMs: number, taken: string[]): Promise<Peer> {
    const open = (): Promise<Session> => Session.open(source, { line: "", sandbox, timeoutMs });
    return new Peer(open, await open(), source, taken);
  }

  can(capability: string): boolean {
    return this.#capabilities.includes(capability);
  }

  /**
   * Makes calls in a directory and compares the answers.
   * @throws {Broken} at the first unexpected answer; after a crash or a timeout the next call restarts the adapter.
   */
  async converse(directory: string, calls: readonly MatrixCall[]): Promise<void> {
    try {
      this.#session ??= await this.#open();
      await this.#session.send({ type: "begin", case: "matrix/exchange", directory });
      for (const call of calls) await this.#make(this.#session, call, directory);
      await this.#session.send({ type: "end" });
    } catch (error) {
      if (!(error instanceof AdapterFault)) throw error;
      await this.close();
      throw new Broken(error.kind, `${this.name}: ${error.text}`);
    }
  }

  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close(false);
  }

  async #make(session: Session, call: MatrixCall, directory: string): Promise<void> {
    const { op, handle, keep } = call;
    const named = { ...(handle === undefined ? {} : { handle }), ...(keep === undefined ? {} : { keep }) };
    const request = { type: "call", op, args: call.args(directory), ...named } as const;
    const answer = await session.send(request).catch((error: unknown) => {
      if (error instanceof AdapterFault) error.place ??= `call ${op}`;
      throw error;
    });
    const where = `${this.name}, ${op}`;
    if (answer.type === "unsupported") throw new Broken("fail", `${where}: unsupported: ${answer.reason}`);
    if (answer.type === "error")
      throw new Broken("fail", `${where}: error ${answer.kind} (${answer.native}: ${answer.message})`);
    const found = differences(call, "value" in answer ? (answer.value as JsonValue) : undefined);
    if (found.length === 0) return;
    const words = found.map(
      ({ at, wanted, got }) => `${at === "" ? "" : `at ${at} `}expected ${wanted}, got ${show(got)}`,
    );
    throw new Broken("fail", `${where}: ${words.join("; ")}`);
  }
}
