import { Stop } from "../core/stop.ts";

/** A table in which perdura-migrate tells of its migrations holds something else; nobody's decision mends that. */
export class DamagedRecord extends Stop {
  /** @param found What is wrong with it, in words. */
  constructor(table: string, found: string, cause?: unknown) {
    super(
      "failed",
      `The table ${table}, in which perdura-migrate recorded what the migration did, is damaged: ${found}. The way back cannot be found by it; the database was left as it is. Put the table back as it was from a copy of this database, or use the backup from before the migration.`,
      cause,
    );
    this.name = "DamagedRecord";
  }
}
