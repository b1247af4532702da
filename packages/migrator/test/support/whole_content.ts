import { contentOf, type DatabaseContent } from "../../../../fixtures/database_content.ts";
import { connect } from "./legacy_database.ts";

/** Everything that a database holds, in order. Opened for writing, so that SQLite rolls a journal back. */
export function wholeContent(path: string): DatabaseContent {
  const database = connect(path);
  try {
    return contentOf(database);
  } finally {
    database.close();
  }
}
