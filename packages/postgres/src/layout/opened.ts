import { type DeclaredKeys, NO_KEYS } from "@perdura/internals/metrics/keys/declared_keys.js";
import type { Connection } from "../connection/connection.ts";
import { declareKeys } from "./declare_keys.ts";
import { ensureTables, findTables, type Tables } from "./set_up.ts";

/** The tables of a connection. They are checked once, and again after a failure that they may cause. */
export class TablesOfConnection {
  readonly #connection: Connection;
  readonly #keys: DeclaredKeys;
  #tables: Promise<Tables> | undefined;

  /** @param keys Keys of metadata to declare. */
  constructor(connection: Connection, keys: DeclaredKeys = NO_KEYS) {
    this.#connection = connection;
    this.#keys = keys;
    // Another program may have renamed the schema.
    connection.onUnexpectedTables(() => void (this.#tables = undefined));
  }

  /** Creates missing tables, and declares the keys. */
  ensure(): Promise<Tables> {
    return (this.#tables ??= this.#forgetFailure(this.#make()));
  }

  /** Returns the tables, or undefined if they are missing. Creates nothing. */
  async find(): Promise<Tables | undefined> {
    return this.#tables ?? (await findTables(this.#connection));
  }

  async #make(): Promise<Tables> {
    const tables = await ensureTables(this.#connection);
    const { keys, numbers } = this.#keys;
    if (keys.length + numbers.length > 0) await declareKeys(this.#connection, tables, this.#keys);
    return tables;
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
