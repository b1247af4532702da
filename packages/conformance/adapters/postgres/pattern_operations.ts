import { PostgresPatternPersistence } from "@perdura/postgres";
import { PatternLibrary } from "perdura-16/pattern_library";
import type { Operations } from "../line_adapter.ts";
import { libraryOperations, loaded } from "../pattern_operations.ts";
import type { CaseDatabases } from "./case_databases.ts";

/** The operations of section 4.1 on PostgreSQL. */
export function patternOperations(databases: CaseDatabases): Operations {
  // The adapter owns the pool, so this object needs no closing.
  const at = (path: string): PostgresPatternPersistence =>
    new PostgresPatternPersistence(databases.pool, databases.optionsOf(path));
  return {
    ...libraryOperations({ PatternLibrary }),
    save_to_sqlite: async ({ args, subject }) => {
      await at(args.db_path).save(subject as PatternLibrary, args.mode === undefined ? {} : { mode: args.mode });
      return {};
    },
    load_from_sqlite: async ({ args }) => loaded(await at(args.db_path).load()),
  };
}
