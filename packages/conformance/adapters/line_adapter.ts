import { isMainThread } from "node:worker_threads";
import type { Adapter, Answer, DumpedDatabase, ErrorKind, Introduction, Request } from "../src/protocol/messages.ts";
import type { Args } from "./arguments.ts";
import { fromWire, toWire } from "./exact_values.ts";

/** Input of an operation. */
export interface Call {
  args: Args;
  /** The kept object that the call names; undefined if it names none. */
  subject: unknown;
  /** The directory of the case. */
  directory: string;
  /** Returns another kept object by its name. */
  kept: (name: string) => unknown;
}

/** Result of an operation: a value for the suite, and an object to keep. */
export interface Outcome {
  value?: unknown;
  kept?: unknown;
}

/** Operations by the specification's names. */
export type Operations = Readonly<Record<string, (call: Call) => Outcome | Promise<Outcome>>>;

/** Databases that are not files: tables in a server, which are dumped for the suite. */
export interface StoredElsewhere {
  /** Writes dumps of all databases of the case into its directory. */
  dump(directory: string): Promise<DumpedDatabase[]>;
  /** Removes the databases of the case. */
  forget(): Promise<void>;
  /** Called last. */
  close(): Promise<void>;
}

/** One line of perdura: its introduction and its operations. */
export interface LineBinding {
  introduction: Introduction;
  operations: Operations;
  isPerduraError: (error: unknown) => boolean;
  /** Recognises errors of the operations that are refusals. */
  isRefusal?: (error: unknown) => boolean;
  storedElsewhere?: StoredElsewhere;
}

const KINDS: Readonly<Record<string, ErrorKind>> = {
  PERDURA_FILE_NOT_FOUND: "not_found",
  PERDURA_JSON_DECODE: "invalid_json",
  PERDURA_VALIDATION: "rejected",
  PERDURA_CORRUPT_DATA: "rejected",
  PERDURA_UNSUPPORTED_FORMAT: "rejected",
};

/** Relative default paths need a working directory of the process, which worker threads do not have. */
export const WORKING_DIRECTORY: readonly string[] = isMainThread ? ["working_directory"] : [];

/** The protocol for one line of perdura: handles, settling and errors; the binding provides the operations. */
export class LineAdapter implements Adapter {
  readonly #binding: LineBinding;
  readonly #kept: Map<string, unknown> = new Map();
  #directory = "";

  constructor(binding: LineBinding) {
    this.#binding = binding;
  }

  async handle(request: Request): Promise<Answer> {
    const { seq } = request;
    if (request.type === "hello") return { seq, type: "ok", ...this.#binding.introduction };
    if (request.type === "call") return this.#call(request);
    if (request.type === "begin") this.#directory = request.directory;
    await this.#release();
    const { storedElsewhere } = this.#binding;
    if (storedElsewhere === undefined) return { seq, type: "ok" };
    if (request.type === "settle") return { seq, type: "ok", tables: await storedElsewhere.dump(this.#directory) };
    await storedElsewhere.forget();
    if (request.type === "bye") await storedElsewhere.close();
    return { seq, type: "ok" };
  }

  async #call(request: Extract<Request, { type: "call" }>): Promise<Answer> {
    const { seq, op, handle, keep } = request;
    const operation = Object.hasOwn(this.#binding.operations, op) ? this.#binding.operations[op] : undefined;
    if (!operation) return { seq, type: "unsupported", reason: `this line has no operation ${op}` };
    const kept = (name: string): unknown => this.#kept.get(name);
    const subject = handle === undefined ? undefined : kept(handle);
    if (handle !== undefined && subject === undefined) throw new Error(`nothing is kept as "${handle}"`);
    try {
      const args = fromWire(request.args) as Args;
      const outcome = await operation({ args, subject, directory: this.#directory, kept });
      if (keep !== undefined) this.#kept.set(keep, outcome.kept);
      return { seq, type: "ok", value: toWire(outcome.value) };
    } catch (error) {
      return { seq, ...this.#describe(error) };
    }
  }

  #describe(error: unknown): { type: "error"; kind: ErrorKind; native: string; message: string } {
    const {
      name = typeof error,
      message = String(error),
      code = "",
    } = (error ?? {}) as { name?: string; message?: string; code?: string };
    const refused = this.#binding.isRefusal?.(error) === true ? "rejected" : "other";
    const kind = this.#binding.isPerduraError(error) ? (KINDS[code] ?? "other") : refused;
    return { type: "error", kind, native: name === "" ? "Error" : name, message };
  }

  /** Closes objects with open files, because the suite inspects the files next. */
  async #release(): Promise<void> {
    for (const object of this.#kept.values()) {
      if (typeof object === "object" && object !== null && "close" in object)
        await (object as { close(): void | Promise<void> }).close();
    }
    this.#kept.clear();
  }
}
