import type { Database, Statement } from "../../sqlite/open_database.ts";
import type { UserStats } from "../stats.ts";

/**
 * The statistics of the user of the last question, until a row changes. Kept from the second time on, so that it costs nothing
 * where each question is about another user.
 */
export class LastAnswer {
  readonly #database: Database;
  readonly #dataVersion: Statement<[], number>;
  readonly #changes: Statement<[], number>;
  #userId: string | undefined;
  #kept: UserStats | undefined;
  /** Another number as soon as another connection commits anything. */
  #keptAtVersion = 0;
  /** Number of rows that this connection had changed. */
  #keptAtChanges = 0;

  constructor(database: Database) {
    this.#database = database;
    this.#dataVersion = database.prepare("PRAGMA main.data_version").pluck() as Statement<[], number>;
    this.#changes = database.prepare("SELECT total_changes()").pluck() as Statement<[], number>;
  }

  /** @param ask Looks the statistics up; what it does not know is not kept. */
  of(userId: string, ask: () => UserStats | undefined): UserStats | undefined {
    if (userId !== this.#userId) {
      this.#userId = userId;
      this.#kept = undefined;
      return ask();
    }
    const [version, changes] = [this.#dataVersion.get() as number, this.#changes.get() as number];
    if (this.#kept === undefined || version !== this.#keptAtVersion || changes !== this.#keptAtChanges) {
      // What is seen in a transaction may be undone with it. Otherwise what others commit from here on has another number.
      this.#kept = this.#database.inTransaction ? undefined : ask();
      this.#keptAtVersion = version;
      this.#keptAtChanges = changes;
    }
    // The caller may change its copy.
    return this.#kept === undefined ? undefined : { ...this.#kept };
  }
}
