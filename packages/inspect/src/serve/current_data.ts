import { readData } from "@perdura/migrator";
import { limitsAmong, type RangeOptions } from "@perdura/internals/metrics/time_range.js";
import { isAddress } from "@perdura/internals/text/addresses.js";
import type { Summary, UserReport } from "@perdura/summary/document.js";
import { summarizeUser } from "@perdura/summary/one_user.js";
import { dataTrace } from "../read/data_trace.ts";
import { SUMMARY_LIMITS, summarizeData } from "../read/summarize_data.ts";

/** A summary, and a number that is higher after each change of the data. */
export interface Version {
  number: number;
  summary: Summary;
}

/** Newest operations on the page of a user. */
const OPERATIONS = 1000;

/** The data below the targets as they are now: they are read again after a change. */
export class CurrentData {
  readonly targets: readonly string[];
  readonly #schema: string | undefined;
  readonly #rows: number;
  #version: Version | undefined;
  #trace = "";
  #reading: Promise<Version> | undefined;

  constructor(
    targets: readonly string[],
    { schema, rows }: { schema?: string | undefined; rows?: number | undefined },
  ) {
    this.targets = targets;
    this.#schema = schema;
    this.#rows = rows ?? SUMMARY_LIMITS.rows;
  }

  /** @throws PerduraError if a target cannot be read any more. */
  current(): Promise<Version> {
    // Several pages that ask at once get the same answer.
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #read(): Promise<Version> {
    const before = this.#version;
    // Before reading: a change after it is found by the next comparison.
    const trace = before === undefined ? "" : this.#traceOf(before.summary);
    if (before !== undefined && trace === this.#trace && !this.targets.some(isAddress)) return before;
    const summary = await summarizeData(this.targets, { rows: this.#rows, schema: this.#schema });
    // Files that are known only now are traced from the next reading on.
    this.#trace = trace;
    const isSame = before !== undefined && withoutTime(before.summary) === withoutTime(summary);
    this.#version = { number: isSame ? before.number : (before?.number ?? 0) + 1, summary };
    return this.#version;
  }

  /** The summary of the interactions between two moments. */
  between(range: RangeOptions): Promise<Summary> {
    return summarizeData(this.targets, { rows: this.#rows, schema: this.#schema, ...range });
  }

  /** Undefined if the targets contain no such database, or the database no operations of the user. */
  user(path: string, userId: string, range: RangeOptions): Promise<UserReport | undefined> {
    const limits = limitsAmong(range);
    return readData(this.targets, { schema: this.#schema }, async ({ databases }) => {
      const database = databases.find((found) => found.path === path);
      return database?.read(({ metrics }) =>
        metrics === null ? undefined : summarizeUser(metrics, userId, OPERATIONS, limits),
      );
    });
  }

  #traceOf({ databases, libraries, archives, backups }: Summary): string {
    const files = [...databases.filter(({ bytes }) => bytes !== null), ...libraries, ...archives, ...backups];
    return dataTrace(
      this.targets.filter((target) => !isAddress(target)),
      files.map(({ path }) => path),
    );
  }
}

function withoutTime(summary: Summary): string {
  return JSON.stringify({ ...summary, made_at: "" }, (_key, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
}
