import { exportCases } from "../export/export_cases.ts";
import { checkedLine } from "./option_values.ts";
import { UsageError } from "./usage_error.ts";

/** The options of `export`, as `parseArgs` takes them. */
export const EXPORT_OPTIONS = { line: { type: "string" } } as const;

/** `perdura-conformance export`: cases, files and checksums for a runner of one's own. */
export function exportCommand(line: string | undefined, directory: string): number {
  if (line === undefined) throw new UsageError("export needs --line 15 or --line 16, or a full version");
  const version = /^\d+$/.test(checkedLine(line)) ? `${line}.0.0` : line;
  try {
    const { cases, files } = exportCases(version, directory);
    process.stdout.write(`${cases} cases for ${version} and ${files + 1} files in ${directory}\n`);
    return 0;
  } catch (error) {
    throw new UsageError(`export: ${(error as Error).message}`);
  }
}
