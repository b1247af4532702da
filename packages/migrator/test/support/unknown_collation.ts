import { connect } from "../../../../test/legacy/legacy_database.ts";

/** Replaces NOCASE by a collation of an application in the text of the schema. */
export function forgetCollation(path: string): void {
  const database = connect(path);
  database.unsafeMode(true);
  database.exec("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'NOCASE', 'of_application')");
  database.close();
}
