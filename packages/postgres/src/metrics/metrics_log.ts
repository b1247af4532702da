import { inBatches } from "@perdura/internals/rows/in_batches.js";
import { PerduraError } from "@perdura/internals/errors/errors.js";
import type { CheckedInteraction } from "@perdura/internals/metrics/checked_interaction.js";
import type { BreakdownRow } from "@perdura/internals/metrics/breakdown/breakdown.js";
import type { AskedBreakdown } from "@perdura/internals/metrics/breakdown/breakdown_arguments.js";
import type { Percentiles } from "@perdura/internals/metrics/breakdown/percentiles.js";
import type { ChosenRows } from "@perdura/internals/metrics/chosen_rows.js";
import type { Deleted } from "@perdura/internals/metrics/deletion/deletion.js";
import type { CheckedDeletion } from "@perdura/internals/metrics/deletion/deletion_arguments.js";
import type { ExportOptions } from "@perdura/internals/metrics/export_progress.js";
import type { DeclaredKeys } from "@perdura/internals/metrics/keys/declared_keys.js";
import type { ListedInteraction } from "@perdura/internals/metrics/listing/listing.js";
import type { AskedList } from "@perdura/internals/metrics/listing/listing_arguments.js";
import type { Bucket } from "@perdura/internals/metrics/trends/trend.js";
import type { Clock } from "@perdura/internals/text/timestamps.js";
import type { PostgresPlace } from "../connection/address.ts";
import { Connection, type Session } from "../connection/connection.ts";
import type { CheckedOptions } from "../connection/options.ts";
import { isUniqueViolation, mayBeUniqueViolation } from "../connection/failures.ts";
import { advanceCounters, withCounters } from "../layout/counters.ts";
import { TablesOfConnection } from "../layout/opened.ts";
import { deleteRows } from "./delete_rows.ts";
import { exportInteractions } from "./export.ts";
import { foldForQuestions } from "./fold.ts";
import { GroupQueue } from "./group_queue.ts";
import { claimOrLook, Content, usedFor } from "./idempotency.ts";
import { readAnyBreakdown } from "./key_reader.ts";
import { readAnyPercentiles } from "./percentile_reader.ts";
import { type ListPage, readListPage } from "./list_reader.ts";
import { StatisticsReader } from "./statistics_reader.ts";
import { type Recording, recordingInto, type SendRows } from "./record.ts";
import type { Recount } from "../layout/compare_sums.ts";
import { recount } from "./recount.ts";

/** Maximum number of rows in one statement of a queue. */
const QUEUED_ROWS = 1000;

/** Rows that a call added, with the id of the first one. */
interface Added {
  rows: number;
  first: number | null;
}

/** Records interactions into the tables and answers questions about them. */
export class MetricsLog {
  readonly #connection: Connection;
  readonly #tables: TablesOfConnection;
  readonly #clock: Clock | undefined;
  readonly #queue: GroupQueue = new GroupQueue(
    {
      store: (interactions) => this.appendTogether(interactions),
      partsAfter: (error, interactions) => this.#workersAfter(error, interactions),
    },
    QUEUED_ROWS,
  );
  #recording: Recording | undefined;

  constructor(place: PostgresPlace, options: CheckedOptions, clock: Clock | undefined, keys: DeclaredKeys) {
    this.#connection = new Connection(place, options);
    this.#tables = new TablesOfConnection(this.#connection, keys);
    this.#clock = clock;
  }

  /**
   * Adds one row, with its metadata in the same statement; returns its id.
   *
   * @param key Key for a call that may be retried: the row is added once.
   */
  append(interaction: CheckedInteraction, key?: string): Promise<number> {
    return this.#connection.within("recording", async () => {
      const recording = await this.#ready();
      // On a cluster, a statement that writes to several tables would need every worker.
      if (recording.isDistributed && (key !== undefined || interaction.metadata !== null)) {
        const { first } = await this.#connection.transaction("write", (session) =>
          this.#all(session, recording, [interaction], key),
        );
        return first as number;
      }
      return withCounters(this.#connection, recording.names, () =>
        key === undefined ? recording.one(this.#connection, interaction) : this.#once(recording, interaction, key),
      );
    });
  }

  /** Adds all rows in one statement; returns their ids. */
  appendTogether(interactions: readonly CheckedInteraction[]): Promise<number[]> {
    return this.#connection.within("recording", async () => {
      const recording = await this.#ready();
      const add = (session: Session): Promise<number[]> => recording.many(session, interactions);
      return withCounters(this.#connection, recording.names, () =>
        recording.isDistributed ? this.#connection.transaction("write", add) : add(this.#connection),
      );
    });
  }

  /**
   * Adds all rows in one transaction: all of them, or none. Reads them in pieces, so that they need not all be in
   * memory.
   *
   * @param key See {@link append}.
   */
  appendAll(interactions: Iterable<CheckedInteraction>, key?: string): Promise<number> {
    return this.#connection.within("recording", async () => {
      const recording = await this.#ready();
      const all = (session: Session): Promise<Added> => this.#all(session, recording, interactions, key);
      // One attempt, because the iterable cannot be read again.
      return (await this.#connection.transaction("write", all, 1)).rows;
    });
  }

  /**
   * Adds a row, in one statement with all rows that are added in this turn of the event loop. Resolves with its id when
   * it is committed.
   */
  enqueue(interaction: CheckedInteraction): Promise<number> {
    return this.#queue.add(interaction);
  }

  /** Resolves when the queue is empty. */
  whenWritten(): Promise<void> {
    return this.#queue.whenEmpty();
  }

  ask<Answer>(question: (questions: StatisticsReader) => Promise<Answer>): Promise<Answer> {
    return this.#connection.within("reading", async () =>
      question(new StatisticsReader(this.#connection, (await this.#tables.ensure()).names)),
    );
  }

  /** Answers questions at one moment, and adds percentiles of response times. */
  askWithPercentiles<Answer>(
    question: (questions: StatisticsReader, session: Session) => Promise<Answer>,
    chosen: ChosenRows,
    bucket?: Bucket,
  ): Promise<{ answer: Answer; percentiles: ReadonlyMap<string, Percentiles> }> {
    return this.#connection.within("reading", async () => {
      const tables = await this.#tables.ensure();
      const { isBehind, ...found } = await this.#connection.transaction("read", async (session) => ({
        answer: await question(new StatisticsReader(this.#connection, tables.names), session),
        ...(await readAnyPercentiles(session, tables, chosen, bucket)),
      }));
      if (isBehind) await foldForQuestions(this.#connection, tables.names);
      return found;
    });
  }

  /** Computes a breakdown; see {@link readAnyBreakdown}. */
  breakdown(asked: AskedBreakdown): Promise<BreakdownRow[]> {
    return this.#connection.within("reading", async () => {
      const tables = await this.#tables.ensure();
      const { rows, isBehind } = await this.#connection.transaction("read", (session) =>
        readAnyBreakdown(session, tables, asked),
      );
      if (isBehind) await foldForQuestions(this.#connection, tables.names);
      return rows;
    });
  }

  /** Lists interactions, a page at a time. */
  async *list(asked: AskedList): AsyncGenerator<ListedInteraction<"level">, undefined> {
    let page: ListPage | undefined;
    do {
      const last = page?.next;
      page = await this.#connection.within("reading", async () =>
        readListPage(this.#connection, await this.#tables.ensure(), asked, last),
      );
      yield* page.rows;
    } while (page.next !== undefined);
  }

  /** See {@link recount}. */
  recount(): Promise<Recount> {
    return this.#connection.within("reading", async () =>
      recount(this.#connection, (await this.#tables.ensure()).names),
    );
  }

  /** Deletes rows in pieces; see {@link deleteRows}. */
  deleteAsync(asked: CheckedDeletion): Promise<Deleted> {
    return this.#connection.within("deleting interactions", async () =>
      deleteRows(this.#connection, await this.#tables.ensure(), asked),
    );
  }

  /** Writes all rows to a file; see {@link exportInteractions}. */
  exportTo(filepath: string, options: ExportOptions): Promise<number> {
    const source = { connection: this.#connection, tables: () => this.#tables.ensure(), clock: this.#clock };
    return this.#connection.within("reading", () => exportInteractions(source, filepath, options));
  }

  async close(): Promise<void> {
    await this.#queue.whenEmpty();
    await this.#connection.close();
  }

  async #ready(): Promise<Recording> {
    const tables = await this.#tables.ensure();
    return (this.#recording ??= recordingInto(tables, this.#clock));
  }

  /** The worker of each row, because the other workers of a cluster may be able to store theirs. */
  async #workersAfter(error: unknown, interactions: readonly CheckedInteraction[]): Promise<number[] | undefined> {
    if (this.#recording?.isDistributed !== true || (error instanceof PerduraError && error.mayBeWritten)) return;
    try {
      return await this.#recording.workersOf(this.#connection, interactions);
    } catch {
      // The coordinator cannot be asked, so the first error concerns all rows.
      return undefined;
    }
  }

  async #once(recording: Recording, interaction: CheckedInteraction, key: string): Promise<number> {
    const content = new Content().add(interaction).digest();
    for (;;) {
      const id = await recording.once(this.#connection, interaction, key, content);
      // The key may have been removed between the two statements.
      const used = id ?? (await usedFor(this.#connection, recording.names, key, () => content))?.first_id;
      if (typeof used === "number") return used;
    }
  }

  async #all(
    session: Session,
    recording: Recording,
    interactions: Iterable<CheckedInteraction>,
    key: string | undefined,
  ): Promise<Added> {
    if (key === undefined) return this.#batches(session, recording, interactions);
    const { names } = recording;
    const content = new Content();
    const used = await claimOrLook(session, names, key, () => content.addAll(interactions).digest());
    if (used !== undefined) return { rows: used.rows, first: used.first_id };
    const { rows, first } = await this.#batches(session, recording, content.through(interactions));
    await session.query(`UPDATE ${names.idempotencyKeys} SET content = $2, rows = $3, first_id = $4 WHERE key = $1`, [
      key,
      content.digest(),
      rows,
      first,
    ]);
    return { rows, first };
  }

  async #batches(session: Session, recording: Recording, interactions: Iterable<CheckedInteraction>): Promise<Added> {
    let [rows, first] = [0, null as number | null];
    let adding: Promise<unknown> = Promise.resolve();
    let prepare: ((interactions: readonly CheckedInteraction[]) => SendRows) | undefined;
    try {
      for (const some of inBatches(interactions, recording.rowsAtOnce)) {
        if (rows === 0) first = await this.#first(session, recording, some);
        else {
          // The server adds a batch while the next one is read and prepared.
          const send = (prepare ??= await recording.further(session))(some);
          await adding;
          adding = send();
        }
        rows += some.length;
      }
      await adding;
    } catch (error) {
      await adding.catch(() => undefined);
      throw error;
    }
    return { rows, first };
  }

  /** Adds the first rows of a transaction. If an id exists already, advances the sequences and tries again. */
  async #first(session: Session, recording: Recording, interactions: readonly CheckedInteraction[]): Promise<number> {
    await session.query("SAVEPOINT first");
    try {
      return await recording.manyWithoutIds(session, interactions);
    } catch (error) {
      if (!mayBeUniqueViolation(error)) throw error;
      await session.query("ROLLBACK TO SAVEPOINT first");
      const isAdvanced = await advanceCounters(session, recording.names, this.#connection.place);
      if (!isAdvanced && !isUniqueViolation(error)) throw error;
      return recording.manyWithoutIds(session, interactions);
    }
  }
}
