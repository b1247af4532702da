import type { Database, Statement } from "../../sqlite/open_database.ts";
import type { UserStats } from "../stats.ts";

/**
 * Keeps the statistics of the user of the last question until a row changes. They are kept from the second question
 * about the same user on, so that questions about changing users cost nothing more.
 */
export class LastAnswer {
  readonly #database: Database;
  readonly #dataVersion: Statement<[], number>;
  readonly #changes: Statement<[], number>;
  #userId: string | undefined;
  #kept: UserStats | undefined;
  /** `data_version` of the kept answer: it changes when another connection commits. */
  #keptAtVersion = 0;
  /** `total_changes()` of the kept answer: the number of rows that this connection had changed. */
  #keptAtChanges = 0;

  constructor(database: Database) {
    this.#database = database;
    this.#dataVersion = database.prepare("PRAGMA main.data_version").pluck() as Statement<[], number>;
    this.#changes = database.prepare("SELECT total_changes()").pluck() as Statement<[], number>;
  }

  /** @param ask Looks the statistics up; undefined results are not kept. */
  of(userId: string, ask: () => UserStats | undefined): UserStats | undefined {
    if (userId !== this.#userId) {
      this.#userId = userId;
      this.#kept = undefined;
      return ask();
    }
    const [version, changes] = [this.#dataVersion.get() as number, this.#changes.get() as number];
    if (this.#kept === undefined || version !== this.#keptAtVersion || changes !== this.#keptAtChanges) {
      // Within a transaction nothing is kept, because the transaction may be undone. Otherwise a later commit of
      // another connection changes `data_version`, which was read before.
      this.#kept = this.#database.inTransaction ? undefined : ask();
      this.#keptAtVersion = version;
      this.#keptAtChanges = changes;
    }
    // A copy, because the caller may change it.
    return this.#kept === undefined ? undefined : { ...this.#kept };
  }
}
