/** Parts of the READMEs and manifests of the packages that are written from the tables of the programs. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ProgramTable } from "@perdura/cli/program_table.js";
import { readmeTables } from "@perdura/cli/readme_tables.js";
import { TABLE as BACKUP } from "../../packages/backup/src/cli/table.ts";
import { ON_ALL_KINDS } from "../../packages/backup/src/stores/kinds.ts";
import { TABLE as CONFORMANCE } from "../../packages/conformance/src/cli/table.ts";
import { TABLE as INSPECT } from "../../packages/inspect/src/cli/table.ts";
import { TABLE as MCP } from "../../packages/mcp/src/cli/table.ts";
import { TABLE as MIGRATOR } from "../../packages/migrator/src/cli/table.ts";
import { table } from "./pages/markdown_table.ts";
import { problemTable } from "./problem_table.ts";
import { withParts } from "./pages/marked_parts.ts";

const packages = fileURLToPath(new URL("../../packages/", import.meta.url));

/** The programs by the folders of their packages. */
const PROGRAMS: Readonly<Record<string, ProgramTable<string, string>>> = {
  backup: BACKUP,
  conformance: CONFORMANCE,
  inspect: INSPECT,
  mcp: MCP,
  migrator: MIGRATOR,
};

const BACKUP_DESCRIPTION = `Backups of perdura's pattern libraries ${ON_ALL_KINDS}`;

/** The README of each program's package, with current tables; and of `backup`, README and manifest with its stores. */
export function pagesOfPrograms(): Map<string, string> {
  const pages = Object.entries(PROGRAMS).map(([folder, program]): [string, string] => {
    const page = `${packages}${folder}/README.md`;
    const parts = Object.entries(readmeTables(program)).map(([name, { head, rows }]) => [
      `${program.name}: ${name}`,
      table(head, rows),
    ]);
    const description = program === BACKUP ? { [`${program.name}: description`]: `${BACKUP_DESCRIPTION}.` } : {};
    const problems = program === MIGRATOR ? { [`${program.name}: problems`]: problemTable() } : {};
    return [
      page,
      withParts(page, { ...(Object.fromEntries(parts) as Record<string, string>), ...description, ...problems }),
    ];
  });
  const manifest = `${packages}backup/package.json`;
  const described = readFileSync(manifest, "utf8").replace(
    /(?<="description": ).*(?=,)/,
    JSON.stringify(BACKUP_DESCRIPTION),
  );
  return new Map([...pages, [manifest, described]]);
}
