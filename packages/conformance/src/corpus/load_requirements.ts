import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../package_root.ts";
import type { Requirement } from "./requirement.ts";
import { violations } from "./schemas.ts";

interface RequirementsFile {
  section: string;
  requirements: (Omit<Requirement, "section" | "versions"> & { section?: string; versions?: string })[];
}

/**
 * All requirements, in the order of the section files.
 * @throws {Error} when a file breaks `schemas/requirements.schema.json` or two rows have one id.
 */
export function loadRequirements(folder: string = join(packageRoot(), "requirements")): Map<string, Requirement> {
  const rows = new Map<string, Requirement>();
  for (const name of readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .toSorted()) {
    const file = JSON.parse(readFileSync(join(folder, name), "utf8")) as RequirementsFile;
    const faults = violations("requirements", file);
    if (faults.length > 0) throw new Error(`requirements/${name}: ${faults.join("; ")}`);
    for (const row of file.requirements) {
      if (rows.has(row.id)) throw new Error(`requirements/${name}: the id ${row.id} is taken`);
      rows.set(row.id, { ...row, section: row.section ?? file.section, versions: row.versions ?? "*" });
    }
  }
  return rows;
}
