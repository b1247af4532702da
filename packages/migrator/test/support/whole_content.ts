import { comparable, contentOf, type DatabaseContent } from "../../../../fixtures/database_content.ts";
import { connect } from "../../../../test/legacy/legacy_database.ts";

/** The {@link comparable} content of a database, in order. Opened for writing, so that SQLite rolls a journal back. */
export function wholeContent(path: string): DatabaseContent {
  const database = connect(path);
  try {
    return comparable(contentOf(database));
  } finally {
    database.close();
  }
}
