/** Writes what is made of other files; `pnpm generate --check` says whether that is up to date. */
import "./compile_schemas.ts";
import { writePagesOfPrograms } from "./program_tables.ts";

writePagesOfPrograms(process.argv.includes("--check"));
