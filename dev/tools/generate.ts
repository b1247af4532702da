/** Writes generated files; `pnpm generate --check` reports whether they are up to date. */
import "./compile_schemas.ts";
import { writeGeneratedFiles } from "./generated_files.ts";

writeGeneratedFiles(process.argv.includes("--check"));
