import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { rewriteSchema } from "./rewrite_schema.ts";

/** Another text for one entry of `sqlite_schema`. */
export interface TextChange {
  type: string;
  name: string;
  from: string;
  to: string;
}

/**
 * Writes other texts into the schema, where no statement of SQLite could: of entries that it does not parse, or that keep
 * their place and content. Other connections read the schema again once a statement of the same transaction made or
 * dropped something.
 *
 * @throws Error when an entry does not have the text that it should have.
 */
export function changeSchemaText(database: Database, changes: readonly TextChange[]): void {
  if (changes.length === 0) return;
  rewriteSchema(database, () => {
    const update = database.prepare(
      "UPDATE main.sqlite_schema SET sql = @to WHERE type = @type AND name = @name AND sql = @from",
    );
    for (const change of changes) {
      if (update.run(change).changes !== 1)
        throw new Error(`The text of the ${change.type} ${change.name} is not what it was expected to be`);
    }
  });
}
