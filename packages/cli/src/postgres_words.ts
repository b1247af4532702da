import type { CommandOption } from "./option_table.ts";
import type { ArgumentRow } from "./program_table.ts";

/**
 * An argument that may be the address of a PostgreSQL server. The word `postgres://` keeps an address with its password
 * out of the command line, which other users of the machine can read.
 */
export const POSTGRES_ADDRESS: Required<Pick<ArgumentRow, "placeholder" | "pattern" | "expected">> = {
  placeholder: { word: "postgres://", env: "PERDURA_POSTGRES_URL" },
  pattern: /^postgres(?:ql)?:\/\//i,
  expected: "an address that begins postgres://",
};

/** The option for the schema in PostgreSQL. */
export const POSTGRES_SCHEMA: Pick<CommandOption<string>, "value" | "pattern" | "expected" | "help"> = {
  value: "NAME",
  pattern: /^(?!pg_)[^\0]{1,63}$/i,
  expected: "a schema name that does not begin with pg_",
  help: "use this schema in PostgreSQL",
};
