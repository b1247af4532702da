import { EXIT } from "@perdura/cli/exit_codes.js";
import type { Runner } from "@perdura/cli/run_program.js";
import { UsageError } from "@perdura/cli/usage_error.js";
import { exportCases } from "../export/export_cases.ts";
import { lineOf } from "./chosen.ts";
import type { Command, OptionName } from "./table.ts";

/** Writes cases, files and checksums for a custom runner. */
export const exportAll: Runner<Command, OptionName> = async (given) => {
  const [directory = ""] = given.words;
  const line = lineOf(given) as string;
  const version = /^\d+$/.test(line) ? `${line}.0.0` : line;
  try {
    const { cases, files } = exportCases(version, directory);
    const summary = `Wrote ${cases} cases for ${version} to ${directory} (${files + 1} files).`;
    return { code: EXIT.done, summary, document: { version, cases, files: files + 1, directory }, text: summary };
  } catch (error) {
    throw new UsageError(`export: ${(error as Error).message}.`, { cause: error });
  }
};
