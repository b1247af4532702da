import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadProfile, loadRequirements, readExpectedFailures } from "@perdura/conformance";
import { loadCases, shippedCorpus, walkCaseFiles } from "../../../../../packages/conformance/src/corpus/load_cases.ts";
import type { Chance } from "../../../../../test/hostile/chance.ts";
import { hostileDocument } from "../../../../../test/hostile/documents.ts";
import { faultsOfError } from "../judge_error.ts";
import type { Bench, Try } from "../reader.ts";

const PROFILE = {
  name: "ours",
  description: "ours",
  capabilities: ["patterns_json"],
  areas: ["json"],
  levels: ["MUST"],
};
const LIST = {
  expected_failures: [
    {
      case: "state/delete",
      verdict: "fail",
      checks: ["a"],
      kind: "bug",
      link: "https://example.org/1",
      versions: ">=15 <16",
    },
    { case: "state/list", kind: "missing", link: "https://example.org/2", expires: "2026-12-31" },
  ],
};

/** Files that users write for the suite. */
export const profiles = ({ directory }: Bench): Try =>
  reading(join(directory, "profile.json"), () => PROFILE, loadProfile);
export const lists = ({ directory }: Bench): Try =>
  reading(join(directory, "known.json"), () => LIST, readExpectedFailures);

/** Cases, next to those that the suite ships. */
export function cases({ directory }: Bench): Try {
  const shipped = shippedCorpus();
  const names = walkCaseFiles(shipped.cases);
  const folders = { cases: join(directory, "cases"), data: shipped.data };
  mkdirSync(join(folders.cases, "state"), { recursive: true });
  const requirements = loadRequirements();
  const good = (chance: Chance): unknown =>
    JSON.parse(readFileSync(join(shipped.cases, `${chance.pick(names)}.json`), "utf8"));
  return reading(
    join(folders.cases, "state", "hostile.json"),
    good,
    () => loadCases(folders, requirements),
    "cases/state/hostile.json",
  );
}

function reading(
  file: string,
  good: (chance: Chance) => unknown,
  read: (file: string) => unknown,
  shown: string = file,
): Try {
  return {
    document: (chance) => {
      const bytes = hostileDocument(good(chance), chance);
      writeFileSync(file, bytes);
      try {
        read(file);
        return [];
      } catch (error) {
        return faultsOfError(error, { own: isPlain, names: shown });
      }
    },
  };
}

/** True for the errors that the suite documents: plain `Error`s, not those that JavaScript itself throws. */
export function isPlain(error: unknown): boolean {
  return error instanceof Error && error.constructor === Error;
}
