import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { checkFile, fileReportText, loadRequirements, UnfitFile } from "@perdura/conformance";
import { STEERING } from "../../../../test/hostile/steering.ts";
import { faultsOfError } from "./own_error.ts";
import { changesBetween, stampsOf } from "./stamp.ts";

/** Checks a file with `check-file`. Returns the faults of that check. */
export function judgeCheckFile(path: string): string[] {
  const before = stampsOf(dirname(path));
  const wrong: string[] = [];
  try {
    const text = fileReportText(checkFile(path), loadRequirements(), { colour: false });
    if (STEERING.test(text))
      wrong.push(`check-file: unescaped control characters in the text: ${JSON.stringify(text)}`);
  } catch (error) {
    const isOwn = error instanceof UnfitFile || (error as Error).constructor === Error;
    if (existsSync(path)) wrong.push(...faultsOfError("check-file", error, path, isOwn));
  }
  return [...wrong, ...changesBetween(before, stampsOf(dirname(path))).map((change) => `check-file: ${change}`)];
}
