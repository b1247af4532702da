import { isPerduraError, ClosedError } from "@perdura/internals/errors/errors.js";
import type { PoolClient, QueryResultRow } from "pg";
import { isPool, type PostgresPlace, shownPlace } from "./address.ts";
import { type Copier, copierOf } from "./copy_rows.ts";
import { failureOf, unchangedText, isConnectionLost, isReadOnly, isRolledBack, mayBeCommitted } from "./failures.ts";
import { isKnownBroken, type OwnPool } from "./new_pool.ts";
import type { CheckedOptions } from "./options.ts";
import { GivenPool, Servers, type Source } from "./servers.ts";
import { rowsOf, type Values } from "./statements.ts";
import { settingsStatement } from "./settings.ts";
import { monotonicMs } from "@perdura/internals/runtime/monotonic.js";

/** Sends statements, through a pool or within a transaction. */
export interface Session {
  /**
   * @param name Name for a statement that is sent repeatedly with the same text: the server plans it once per
   * connection.
   * @returns The rows. Integers and floating-point numbers are numbers, booleans are booleans, and all other values are
   * text.
   */
  query<Row extends QueryResultRow>(text: string, values?: Values, name?: string): Promise<Row[]>;
  /** See {@link copierOf}; only within a transaction. */
  copy?: Copier | undefined;
}

/** Statements that begin a transaction. */
const BEGIN = {
  write: "BEGIN ISOLATION LEVEL READ COMMITTED",
  /**
   * All statements see the data of one moment. A statement that would overwrite a later change of another transaction
   * fails.
   */
  moment: "BEGIN ISOLATION LEVEL REPEATABLE READ",
  read: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
} as const;

/** A kind of transaction. */
export type Kind = keyof typeof BEGIN;

/** Statements on one connection. */
export function sessionOn(client: PoolClient): Session {
  return { query: (text, values = []) => rowsOf(client, text, values, false), copy: copierOf(client) };
}

/**
 * Begins a transaction, with a limit for waits: the sessions of a caller's pool may have none. Sums and digests are many
 * short statements, for each of which the server would compile code.
 *
 * @param settings Further statements for the transaction.
 */
export async function begin(
  session: Session,
  kind: Kind,
  { distributed, busyTimeoutMs }: CheckedOptions,
  settings: readonly string[],
): Promise<void> {
  const all = [`SET LOCAL lock_timeout = ${busyTimeoutMs}`, "SET LOCAL jit = off", ...settings];
  if (distributed === undefined) {
    await session.query([BEGIN[kind], ...all].join("; "));
    return;
  }
  // Citus applies local settings on the workers only with this setting. It sends them the whole text of a message,
  // which must not contain BEGIN.
  await session.query(`${BEGIN[kind]}; SET LOCAL citus.propagate_set_commands = local`);
  await session.query(all.join("; "));
}

/** Maximum number of attempts if PostgreSQL rolls a transaction back because of concurrent ones. */
const MOST_TRIES = 10;

/** Connections to one server, opened by the first statement. */
export class Connection implements Session {
  /** The address without secrets, for messages. */
  readonly place: string;
  readonly options: CheckedOptions;
  readonly #source: Source;
  /** The pools of the connections in use. */
  readonly #owners: WeakMap<PoolClient, OwnPool> = new WeakMap();
  #closed = false;
  /** Time at which a server was found to be read-only. Connections that were opened before may lead to a former primary. */
  #readOnlyAt = -1;
  #whenUnexpected: () => void = () => undefined;

  constructor(place: PostgresPlace, options: CheckedOptions) {
    this.#source = isPool(place) ? new GivenPool(place) : new Servers(place, options);
    this.place = shownPlace(place);
    this.options = options;
  }

  async query<Row extends QueryResultRow>(text: string, values: Values = [], name?: string): Promise<Row[]> {
    const client = await this.client();
    const { isPlain, isDirect } = this.#ownerOf(client);
    if (!isPlain) {
      client.release();
      return this.transaction("write", (session) => session.query<Row>(text, values));
    }
    let broken = false;
    try {
      return await rowsOf<Row>(client, text, values, true, isDirect ? name : undefined);
    } catch (error) {
      broken = this.#isReadOnly(error) || isConnectionLost(error);
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /**
   * True if the server refused a change because it only reads. After a switch of servers that closed no connection, it is
   * the former primary, and new connections lead to the new one: no connection that exists now is used again.
   */
  #isReadOnly(error: unknown): error is Error {
    if (isReadOnly(error)) this.#readOnlyAt = monotonicMs();
    return isReadOnly(error);
  }

  /**
   * Runs a task in a transaction. Runs it again if PostgreSQL rolled it back because of a concurrent transaction.
   *
   * @param mostTries Maximum number of attempts; 1 for a task that cannot run twice.
   */
  async transaction<Result>(
    kind: Kind,
    task: (session: Session) => Promise<Result>,
    mostTries: number = MOST_TRIES,
  ): Promise<Result> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#once(kind, task);
      } catch (error) {
        if (!isRolledBack(error) || tries >= mostTries) throw error;
      }
    }
  }

  /**
   * Runs a task and converts errors of PostgreSQL or the network to errors of perdura.
   *
   * @param action The attempted action, for example `recording`.
   */
  async within<Result>(
    action: "saving" | "loading" | "recording" | "reading" | "deleting interactions" | "deleting uses" | "opening",
    task: () => Promise<Result>,
  ): Promise<Result> {
    this.#assertOpen();
    try {
      return await task();
    } catch (error) {
      const failure = failureOf(error, this.place, action, unchangedText(action, error), mayBeCommitted(action, error));
      if (isPerduraError(failure, "PERDURA_CORRUPT_DATA")) this.#whenUnexpected();
      throw failure;
    }
  }

  /** Sets what is called when an action fails because the tables are not as expected. */
  onUnexpectedTables(forget: () => void): void {
    this.#whenUnexpected = forget;
  }

  /** Returns a connection for work that needs more than a transaction. The caller releases it. */
  async client(): Promise<PoolClient> {
    this.#assertOpen();
    const { client, owner } = await this.#source.take(this.#readOnlyAt);
    this.#owners.set(client, owner);
    return client;
  }

  /** Closes the connections, except those of a pool that the caller passed. A second call does nothing. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#source.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #once<Result>(kind: Kind, task: (session: Session) => Promise<Result>): Promise<Result> {
    const client = await this.client();
    const { isPlain } = this.#ownerOf(client);
    const session = sessionOn(client);
    let broken: Error | undefined;
    try {
      // The sessions of workers have the settings of the role.
      const isSet = isPlain && this.options.distributed === undefined;
      await begin(session, kind, this.options, isSet ? [] : [settingsStatement("LOCAL")]);
      const result = await task(session);
      // If the connection breaks here, the server may or may not have committed.
      await rowsOf(client, "COMMIT", [], !isKnownBroken(client));
      return result;
    } catch (error) {
      broken = (await undo(session)) ?? (this.#isReadOnly(error) ? error : undefined);
      throw error;
    } finally {
      // The pool must discard a connection whose state is unknown.
      client.release(broken);
    }
  }

  #ownerOf(client: PoolClient): OwnPool {
    return this.#owners.get(client) as OwnPool;
  }

  #assertOpen(): void {
    if (this.#closed) throw new ClosedError(`The connection to ${this.place} was closed.`);
  }
}

async function undo(session: Session): Promise<Error | undefined> {
  try {
    await session.query("ROLLBACK");
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
