import { writeFileSync } from "node:fs";
import { alsoFound, FILE } from "./also_found.ts";
import { mutantId } from "./mutant_id.ts";
import { MUTANTS } from "./mutants/all.ts";

// Writes the list that the self-test compares; it takes minutes.
const found: Record<string, string[]> = {};
for (const mutant of MUTANTS) {
  const cases = await alsoFound(mutant);
  if (cases.length > 0) found[mutantId(mutant)] = cases;
}
writeFileSync(FILE, `${JSON.stringify(found, null, 2)}\n`);
