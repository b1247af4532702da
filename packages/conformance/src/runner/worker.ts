import type { LoadedCase } from "../corpus/load_cases.ts";
import type { Profile } from "../corpus/load_profile.ts";
import type { Requirement } from "../corpus/requirements.ts";
import { lineOfVersion } from "../corpus/version_range.ts";
import { AdapterFault, type AdapterSource } from "../protocol/channel.ts";
import { TABLE_DUMP } from "../protocol/operations.ts";
import type { CaseRecord, Verdict } from "../results/record.ts";
import type { JsonValue } from "../values/json_value.ts";
import { blankRecord, runCase } from "./run_case.ts";
import { makeSandbox, type Sandbox } from "./sandbox.ts";
import type { Selection } from "./selection.ts";
import { Session } from "./session.ts";

/** Input of the verdicts of a run, besides the implementation. */
export interface JudgeContext {
  cases: readonly LoadedCase[];
  requirements: ReadonlyMap<string, Requirement>;
  selection: Selection;
  profile: Profile | undefined;
  /** Seed of the shuffled order; null for the order of the ids. */
  seed: number | null;
  /** Number of sequences of a generated case; undefined for the default. */
  runs: number | undefined;
  /** The judged version; empty if the adapter did not start. */
  version: string;
  capabilities: readonly string[];
  /** Groups that the implementation cannot have, with the reasons. */
  inapplicable: Record<string, string>;
  choices: Record<string, string>;
  /** Ends the run early. */
  signal?: AbortSignal | undefined;
}

/** The result of a case. */
export interface Judged {
  record: CaseRecord;
  /** Duration in milliseconds, for a case that ran. */
  took?: number;
  /** True for a case that an interruption of the run ended or prevented. */
  isInterrupted?: true;
}

/** The result of a case that an interruption of the run ended or prevented. */
export function interrupted(loaded: LoadedCase, choices: Record<string, string>): Judged {
  return { record: { ...blankRecord(loaded, choices), reason: "interrupted" }, isInterrupted: true };
}

/** Settings that all workers of a run share. */
interface WorkerSettings {
  adapter: AdapterSource;
  /** The value of `--line`; empty if the adapter may choose. */
  line: string;
  timeoutMs: number;
  /** Ends the adapter early. */
  signal?: AbortSignal | undefined;
  /** Values that every case can name. */
  shared: Record<string, JsonValue>;
  /** The folder in which failed cases are kept; undefined if they are not. */
  keep?: string | undefined;
  /** Receives the reason if something ended early. */
  notes: string[];
}

const RESTART: ReadonlySet<Verdict> = new Set(["crash", "timeout", "protocol-error", "harness-error"]);

/**
 * One adapter with its own sandbox. After a crash, a timeout or a breach of the protocol the adapter is restarted, and
 * finished results are kept; if it does not start again, the remaining cases of this worker are `not-run`.
 */
export class Worker {
  readonly #settings: WorkerSettings;
  readonly #sandbox: Sandbox;
  #session: Session | undefined;

  private constructor(settings: WorkerSettings, sandbox: Sandbox, session: Session) {
    this.#settings = settings;
    this.#sandbox = sandbox;
    this.#session = session;
  }

  /** Starts an adapter; returns undefined and adds a note if it does not start. */
  static async start(settings: WorkerSettings): Promise<Worker | undefined> {
    const sandbox = makeSandbox();
    try {
      const session = await open(settings, sandbox);
      return new Worker(settings, sandbox, session);
    } catch (error) {
      sandbox.remove();
      if (settings.signal?.aborted === true) return undefined;
      if (!(error instanceof AdapterFault)) throw error;
      settings.notes.push(`the adapter did not start: ${error.kind}: ${error.text}`);
      return undefined;
    }
  }

  get #isInterrupted(): boolean {
    return this.#settings.signal?.aborted === true;
  }

  /** The adapter's answer to `hello`. */
  get introduction(): Session["introduction"] {
    return (this.#session as Session).introduction;
  }

  /** Runs one case. */
  async judge(loaded: LoadedCase, context: JudgeContext): Promise<Judged> {
    if (!this.#session)
      return { record: { ...blankRecord(loaded, context.choices), reason: "the adapter did not restart" } };
    const began = performance.now();
    const record = await this.#record(loaded, context);
    // Its adapter was ended: the record says nothing about the implementation.
    if (this.#isInterrupted) return interrupted(loaded, context.choices);
    const took = Math.round(performance.now() - began);
    return { record, took };
  }

  async #record(loaded: LoadedCase, context: JudgeContext): Promise<CaseRecord> {
    const generate = loaded.case.steps.find((step) => "generate" in step);
    if (generate === undefined) return this.#play(loaded, context);
    const { judgeSequences } = await import("../generator/judge_sequences.ts");
    const judged = { line: lineOfVersion(context.version), inServer: context.capabilities.includes(TABLE_DUMP) };
    return judgeSequences(loaded, generate, { ...context, judged }, (tested) => this.#play(tested, context));
  }

  /** Runs a case; restarts the adapter if it is not usable afterwards. */
  async #play(loaded: LoadedCase, context: JudgeContext): Promise<CaseRecord> {
    if (!this.#session) return { ...blankRecord(loaded, context.choices), reason: "the adapter did not restart" };
    const record = await runCase(loaded, {
      session: this.#session,
      sandbox: this.#sandbox,
      shared: this.#settings.shared,
      version: context.version,
      keep: this.#settings.keep,
    });
    if (RESTART.has(record.verdict)) await this.#restart(loaded.case.id);
    return record;
  }

  /** Ends the adapter and removes its sandbox. */
  async close(): Promise<void> {
    try {
      await this.#session?.close(!this.#isInterrupted);
    } catch (error) {
      if (!(error instanceof AdapterFault)) throw error;
      this.#settings.notes.push(`after the last case: ${error.kind}: ${error.text}`);
    } finally {
      const note = this.#sandbox.remove();
      if (note !== undefined) this.#settings.notes.push(note);
    }
  }

  async #restart(after: string): Promise<void> {
    await this.#session?.close(false);
    this.#session = undefined;
    if (this.#isInterrupted) return;
    try {
      this.#session = await open(this.#settings, this.#sandbox);
    } catch (error) {
      if (!(error instanceof AdapterFault)) throw error;
      if (this.#isInterrupted) return;
      this.#settings.notes.push(`the adapter did not restart after ${after}: ${error.kind}: ${error.text}`);
    }
  }
}

function open({ adapter, line, timeoutMs, keep, signal }: WorkerSettings, sandbox: Sandbox): Promise<Session> {
  return Session.open(adapter, { line, sandbox: sandbox.root, timeoutMs, signal, keepsMessages: keep !== undefined });
}
