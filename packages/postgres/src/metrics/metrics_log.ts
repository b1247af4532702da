import type { CheckedInteraction } from "@perdura/internals/metrics/checked_interaction.js";
import type { ExportOptions } from "@perdura/internals/metrics/export_progress.js";
import type { Clock } from "@perdura/internals/text/timestamps.js";
import type { PostgresPlace } from "../connection/address.ts";
import { Connection, type Session } from "../connection/connection.ts";
import type { CheckedOptions } from "../connection/options.ts";
import type { Names } from "../layout/names.ts";
import { OpenedTables } from "../layout/opened.ts";
import { exportInteractions } from "./export.ts";
import { GroupQueue } from "./group_queue.ts";
import { Questions } from "./questions.ts";
import { type Recording, recordingInto } from "./record.ts";
import { recount, type Recount } from "./recount.ts";

/** Rows in one statement: more make it hardly faster. */
const ROWS_AT_ONCE = 1000;

/** The tables that a collector records into. */
export class MetricsLog {
  readonly #connection: Connection;
  readonly #tables: OpenedTables;
  readonly #clock: Clock | undefined;
  readonly #queue: GroupQueue = new GroupQueue((interactions) => this.appendTogether(interactions), ROWS_AT_ONCE);
  #recording: Recording | undefined;

  constructor(place: PostgresPlace, options: CheckedOptions, clock: Clock | undefined) {
    this.#connection = new Connection(place, options);
    this.#tables = new OpenedTables(this.#connection);
    this.#clock = clock;
  }

  /** Adds one row, with its metadata in the same statement; returns its id. */
  append(interaction: CheckedInteraction): Promise<number> {
    return this.#connection.within("recording", async () => {
      const recording = await this.#ready();
      return recording.one(this.#connection, interaction);
    });
  }

  /** Adds all rows in one statement; returns their ids. */
  appendTogether(interactions: readonly CheckedInteraction[]): Promise<number[]> {
    return this.#connection.within("recording", async () => {
      const recording = await this.#ready();
      return recording.many(this.#connection, interactions);
    });
  }

  /** Adds all rows in one transaction: all or none. Takes some at a time, so that they need not be in memory. */
  appendAll(interactions: Iterable<CheckedInteraction>): Promise<number> {
    return this.#connection.within("recording", async () => {
      const recording = await this.#ready();
      const store = async (session: Session): Promise<number> => {
        let count = 0;
        for (const some of batches(interactions, ROWS_AT_ONCE)) {
          await recording.many(session, some);
          count += some.length;
        }
        return count;
      };
      // Not tried twice: what was taken is gone.
      return this.#connection.transaction("write", store, 1);
    });
  }

  /** Adds a row together with the others of this turn of the event loop; resolves with its id when it is committed. */
  enqueue(interaction: CheckedInteraction): Promise<number> {
    return this.#queue.add(interaction);
  }

  /** Resolves when nothing is queued any more. */
  whenWritten(): Promise<void> {
    return this.#queue.whenEmpty();
  }

  ask<Answer>(question: (questions: Questions) => Promise<Answer>): Promise<Answer> {
    return this.#connection.within("reading", async () =>
      question(new Questions(this.#connection, (await this.#tables.ensure()).names)),
    );
  }

  /** See {@link recount}. */
  recount(): Promise<Recount> {
    return this.#connection.within("reading", async () =>
      recount(this.#connection, (await this.#tables.ensure()).names),
    );
  }

  /** Writes all rows to a file; see {@link exportInteractions}. */
  exportTo(filepath: string, options: ExportOptions): Promise<number> {
    const tables = async (): Promise<Names> => (await this.#tables.ensure()).names;
    const source = { connection: this.#connection, tables, clock: this.#clock };
    return this.#connection.within("reading", () => exportInteractions(source, filepath, options));
  }

  async close(): Promise<void> {
    await this.#queue.whenEmpty();
    await this.#connection.close();
  }

  async #ready(): Promise<Recording> {
    const { names, partitioned } = await this.#tables.ensure();
    return (this.#recording ??= recordingInto(names, partitioned, this.#clock));
  }
}

function* batches<Item>(items: Iterable<Item>, size: number): Generator<Item[], void> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
