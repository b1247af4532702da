import type { PoolClient, QueryResultRow } from "pg";
import { isPool, type PostgresPlace } from "./address.ts";
import { begin, Connection, type Kind, type Session, sessionOn } from "./connection.ts";
import type { CheckedOptions } from "./options.ts";
import { settingsStatement } from "./settings.ts";
import { rowsOf, type Values } from "./statements.ts";
import { liftTimeLimits } from "./time_limits.ts";

/**
 * A connection for long work, such as moving all rows. The server's time limits (`statement_timeout` and similar
 * settings) do not apply to it; only the wait for a lock ends after the busy time-out.
 */
export class UnlimitedConnection extends Connection {
  readonly #isOwn: boolean;
  readonly #lifted: WeakSet<PoolClient> = new WeakSet();

  constructor(place: PostgresPlace, options: CheckedOptions) {
    super(place, options);
    this.#isOwn = !isPool(place);
  }

  /** Returns a connection. One that leads directly to the server may be idle for any time. */
  override async client(): Promise<PoolClient> {
    const client = await super.client();
    if (!this.#isOwn || this.#lifted.has(client)) return client;
    try {
      // Behind a pooler the session is shared; the condition is false there, because the pooler reports another process
      // id.
      const { processID = null } = client as { processID?: number | null };
      await rowsOf(client, liftTimeLimits("SESSION", "pg_backend_pid() = $1::integer"), [processID], false);
    } catch (error) {
      client.release(true);
      throw error;
    }
    this.#lifted.add(client);
    return client;
  }

  /** Runs a statement in a transaction, in which the settings also apply behind a pooler. */
  override query<Row extends QueryResultRow>(text: string, values: Values = []): Promise<Row[]> {
    return this.transaction("write", (session) => session.query<Row>(text, values));
  }

  override transaction<Result>(
    kind: Kind,
    task: (session: Session) => Promise<Result>,
    mostTries?: number,
  ): Promise<Result> {
    const unlimited = async (session: Session): Promise<Result> => {
      await session.query(liftTimeLimits("LOCAL"));
      return task(session);
    };
    return super.transaction(kind, unlimited, mostTries);
  }

  /** Begins a transaction of the caller, in which a statement fails if a policy would hide rows from it. */
  async begin(client: PoolClient, kind: Kind): Promise<void> {
    // Like pg_dump: a copy of the rows that a policy allows must not be taken for a copy of all rows.
    const allRows = "SET LOCAL row_security = off";
    await begin(sessionOn(client), kind, this.options, [settingsStatement("LOCAL"), liftTimeLimits("LOCAL"), allRows]);
  }
}
