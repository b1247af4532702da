import type { Connection, PoolClient, Submittable } from "pg";
import { markDriverError } from "./failures.ts";

/**
 * Sends rows with PostgreSQL's COPY.
 *
 * @param statement A statement `COPY … FROM STDIN`.
 * @param rows The rows in COPY's text format.
 * @returns Number of rows that the server added.
 */
export type Copier = (statement: string, rows: string) => Promise<number>;

/** The methods of the driver's connection that COPY needs. */
interface CopyingConnection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** A query of the driver that sends rows; it calls the methods. */
class CopyQuery implements Submittable {
  readonly #statement: string;
  readonly #rows: string;
  readonly #resolve: (added: number) => void;
  readonly #reject: (error: unknown) => void;
  #added = 0;
  /** The driver sets it if queries have a time limit. */
  callback?: () => void;

  constructor(statement: string, rows: string, resolve: (added: number) => void, reject: (error: unknown) => void) {
    this.#statement = statement;
    this.#rows = rows;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: Connection): void {
    connection.query(this.#statement);
  }

  handleCopyInResponse(connection: CopyingConnection): void {
    connection.sendCopyFromChunk(Buffer.from(this.#rows));
    connection.endCopyFrom();
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#added = Number(/^COPY (\d+)$/.exec(text)?.[1]);
  }

  handleReadyForQuery(): void {
    this.callback?.();
    this.#resolve(this.#added);
  }

  handleError(error: unknown): void {
    this.callback?.();
    this.#reject(error);
  }
}

/** Undefined if the driver of a pool that the caller passed does not have COPY, as `pg-native`. */
export function copierOf(client: PoolClient): Copier | undefined {
  const { connection, pipeline } = client as { connection?: Partial<CopyingConnection>; pipeline?: boolean };
  if (connection?.sendCopyFromChunk === undefined || pipeline === true) return undefined;
  return (statement, rows) =>
    new Promise<number>((resolve, reject) => {
      client.query(new CopyQuery(statement, rows, resolve, reject));
    }).catch((error: unknown) => {
      throw markDriverError(error, false);
    });
}

const ESCAPES: Record<string, string> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** A text in COPY's text format. */
export function copiedText(value: string): string {
  return value.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] as string);
}
