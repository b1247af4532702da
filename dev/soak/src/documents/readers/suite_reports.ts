import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { implementationAdapter, readReport, renderReport, ReportFileError, runSuite } from "@perdura/conformance";
import { lexer, walkTokens } from "marked";
import type { Chance } from "../../../../../test/hostile/chance.ts";
import { bytesOf } from "../../../../../test/hostile/hostile_bytes.ts";
import { hostileText } from "../../../../../test/hostile/hostile_text.ts";
import { nearly } from "../../../../../test/hostile/hostile_values.ts";
import { faultsOfError, faultsOfText } from "../judge_error.ts";
import type { Bench, Try } from "../reader.ts";

/** Reports of runs by others, and the reports that are made from them. */
export async function reports({ directory }: Bench): Promise<Try> {
  const adapter = implementationAdapter("perdura-15");
  const { records } = await runSuite({ adapter, cases: ["state/delete", "versioning/facade-removed"] });
  const lines = records.map((record) => JSON.parse(JSON.stringify(record)) as unknown);
  return { document: (chance) => judgeReport(hostileReport(lines, chance), join(directory, "report.ndjson")) };
}

/**
 * Makes a report: half of them are valid with hostile texts in their fields, which tests the output for accepted
 * reports.
 */
function hostileReport(records: readonly unknown[], chance: Chance): Buffer {
  if (chance.percent(50))
    return Buffer.from(records.map((record) => `${JSON.stringify(record, hostileTexts(chance))}\n`).join(""));
  const at = chance.below(records.length);
  const lines = records.map((record, index) => {
    if (index !== at) return Buffer.from(JSON.stringify(record));
    const bytes = bytesOf(nearly(record, chance, chance.pick([1, 1, 2])), chance);
    return chance.percent(90) ? Buffer.from(bytes.toString("latin1").replaceAll("\n", " "), "latin1") : bytes;
  });
  if (chance.percent(3)) lines.splice(chance.below(lines.length), 1);
  if (chance.percent(3)) lines.push(chance.pick(lines));
  return Buffer.concat(lines.flatMap((line) => [line, Buffer.from("\n")]));
}

/** Keys that are not free text: a reader refuses unknown values in these, and in lists. */
const OWN_WORDS = /^(?:id|level|verdict|record|\d+)$/;

function hostileTexts(chance: Chance): (key: string, value: unknown) => unknown {
  return (key, value) =>
    typeof value === "string" && !OWN_WORDS.test(key) && chance.percent(3) ? hostileText(chance) : value;
}

/** Reads a report and renders it in the other formats: nothing in them may control a terminal or become markup. */
function judgeReport(bytes: Buffer, file: string): string[] {
  writeFileSync(file, bytes);
  let records: ReturnType<typeof readReport>;
  try {
    records = readReport(file);
  } catch (error) {
    return faultsOfError(error, { own: (one) => one instanceof ReportFileError, names: file });
  }
  const made = (["terminal", "markdown", "junit", "html", "badge"] as const).map(
    (format) => [format, renderReport(format, [records], { colour: false })] as const,
  );
  return made.flatMap(([format, text]) => [
    ...faultsOfText(text.replaceAll("\t", " "), `the report as ${format}`),
    ...(hasMarkup(format, text) ? [`markup in the report as ${format}`] : []),
  ]);
}

/** True if data became markup or a link in that format. */
function hasMarkup(format: string, text: string): boolean {
  if (format === "terminal") return false;
  if (format !== "markdown") return /<img src=x|<script>alert/.test(text);
  const kinds = new Set<string>();
  walkTokens(lexer(text), ({ type }) => void kinds.add(type));
  return ["html", "link", "image"].some((kind) => kinds.has(kind));
}
