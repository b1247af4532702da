import type { Connection } from "../connection/connection.ts";
import { ensureTables, lookForTables, type Tables } from "./set_up.ts";

/** The tables behind a connection: made sure of once, and again where that failed. */
export class OpenedTables {
  readonly #connection: Connection;
  #tables: Promise<Tables> | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Creates the tables where they are missing. */
  ensure(): Promise<Tables> {
    return (this.#tables ??= this.#forgetFailure(ensureTables(this.#connection)));
  }

  /** Creates nothing; undefined where the tables are missing. */
  async look(): Promise<Tables | undefined> {
    return this.#tables ?? (await lookForTables(this.#connection));
  }

  async #forgetFailure(tables: Promise<Tables>): Promise<Tables> {
    try {
      return await tables;
    } catch (error) {
      this.#tables = undefined;
      throw error;
    }
  }
}
