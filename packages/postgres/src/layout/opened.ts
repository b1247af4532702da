import type { Connection } from "../connection/connection.ts";
import { ensureTables, findTables, type Tables } from "./set_up.ts";

/** The tables of a connection. They are checked once, and again after a failure that they may cause. */
export class TablesOfConnection {
  readonly #connection: Connection;
  #tables: Promise<Tables> | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
    // Another program may have renamed the schema.
    connection.onUnexpectedTables(() => void (this.#tables = undefined));
  }

  /** Creates missing tables. */
  ensure(): Promise<Tables> {
    return (this.#tables ??= this.#forgetFailure(ensureTables(this.#connection)));
  }

  /** Returns the tables, or undefined if they are missing. Creates nothing. */
  async find(): Promise<Tables | undefined> {
    return this.#tables ?? (await findTables(this.#connection));
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
