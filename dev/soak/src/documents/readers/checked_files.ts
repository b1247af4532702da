import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkFile, fileReportText, loadRequirements, UnfitFile } from "@perdura/conformance";
import type { Chance } from "../../../../../test/hostile/chance.ts";
import { own } from "../../../../../test/hostile/hostile_values.ts";
import { faultsOfError, faultsOfText } from "../judge_error.ts";
import type { Bench, Try } from "../reader.ts";
import { hostileDocument, LIBRARY, STATE } from "../../../../../test/hostile/documents.ts";
import { plainly } from "./strict_text.ts";
import { isPlain } from "./suite_files.ts";

/** Files that are checked without running a program. */
export function handedOver({ directory }: Bench): Try {
  const requirements = loadRequirements();
  return {
    document: (chance) => {
      const bytes = hostileDocument(documentOf(chance), chance);
      return judgeChecked(bytes, join(directory, "handed-over.json"), requirements);
    },
  };
}

function documentOf(chance: Chance): unknown {
  if (chance.percent(50)) return chance.made(LIBRARY);
  if (chance.percent(70)) return chance.made(STATE);
  const row = {
    id: 1,
    user_id: "alice",
    level: 3,
    success: true,
    response_time_ms: 1,
    timestamp: "2026-01-01 00:00:00",
    metadata: null,
  };
  return own([
    ["metadata", { exported_at: "2026-01-01T00:00:00", interaction_count: 1 }],
    ["users", {}],
    ["global", {}],
    ["interactions", [row]],
  ]);
}

/** Checks a file, which must stay unchanged; a file that is not JSON conforms to nothing. */
function judgeChecked(bytes: Buffer, file: string, requirements: ReturnType<typeof loadRequirements>): string[] {
  writeFileSync(file, bytes);
  try {
    const report = checkFile(file);
    const text = fileReportText(report, requirements, { colour: false });
    const faults = faultsOfText(text, "the judgement");
    if (text.length > 200_000) faults.push(`a judgement of ${text.length} characters for ${bytes.length} bytes`);
    if (report.conforms && !plainly(bytes).isJson) faults.push("judged as conforming, but is not JSON");
    if (!readFileSync(file).equals(bytes)) faults.push("the file was changed");
    return faults;
  } catch (error) {
    return faultsOfError(error, { own: (one) => one instanceof UnfitFile || isPlain(one) });
  }
}
