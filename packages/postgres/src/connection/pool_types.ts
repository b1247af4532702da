/**
 * The parts of a `Pool` of the package `pg` that a caller has to pass. Published types use it instead of `Pool`, so that
 * they need no `@types/pg`.
 */
export interface PostgresPool {
  /** Takes a connection from the pool, or opens one. */
  connect(): Promise<PostgresClient>;
  /** Sends one statement through any connection. */
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
  /** Adds a listener for errors of idle connections. */
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** The parts of a `PoolClient` of the package `pg` that a caller uses. With `@types/pg`, it can be cast to one. */
export interface PostgresClient {
  /** Sends one statement. */
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
  /** Returns the connection to the pool; with `true` or an error, the pool closes the connection. */
  release(broken?: Error | boolean): void;
}

/** The answer to a statement. */
export interface PostgresResult {
  /** The rows, with the names of their columns. */
  rows: Record<string, unknown>[];
  /** Number of rows that the statement returned or changed; null for statements that count none. */
  rowCount: number | null;
}
