/** Writes generated files; `pnpm generate --check` reports whether they are up to date. */
import "./compile_schemas.ts";
import { writePagesOfPrograms } from "./program_tables.ts";

writePagesOfPrograms(process.argv.includes("--check"));
