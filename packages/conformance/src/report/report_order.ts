import { VERDICTS } from "./record.ts";
import type { CaseRecord, EndRecord, ReportRecord } from "./record.ts";

/** What is wrong with a stream, and in which line, from 1. */
interface StreamFault {
  line: number;
  what: string;
}

const ORDER = ["run", "requirement", "case", "end", "timing"] as const;

/**
 * The first thing that is wrong with the order or the completeness of a stream of valid records: a kind of record that
 * is missing, twice there or misplaced, ids out of order, a requirement that nobody explains, counts that do not add up.
 */
export function incompleteness(records: readonly ReportRecord[]): StreamFault | undefined {
  return orderFault(records) ?? idFault(records) ?? countFault(records);
}

function orderFault(records: readonly ReportRecord[]): StreamFault | undefined {
  let before = -1;
  for (const [index, { record }] of records.entries()) {
    const rank = ORDER.indexOf(record);
    const line = index + 1;
    if (index === 0 && rank !== 0) return { line, what: `the first record must be "run", and this is "${record}"` };
    if (rank < before) return { line, what: `a "${record}" record must not follow a "${ORDER[before]}" record` };
    if (rank === before && record !== "requirement" && record !== "case")
      return { line, what: `there is a second "${record}" record` };
    before = rank;
  }
  for (const kind of ["end", "timing"] as const) {
    if (!records.some(({ record }) => record === kind))
      return { line: records.length, what: `the report ends here without its "${kind}" record: it is not complete` };
  }
  return undefined;
}

function idFault(records: readonly ReportRecord[]): StreamFault | undefined {
  const known = new Set<string>();
  let last = "";
  for (const [index, record] of records.entries()) {
    const line = index + 1;
    if (record.record === "requirement") {
      if (known.has(record.id)) return { line, what: `the requirement ${record.id} is there twice` };
      known.add(record.id);
    }
    if (record.record !== "case") continue;
    if (record.id <= last)
      return { line, what: `the cases must be in the order of their ids, and ${record.id} follows ${last}` };
    last = record.id;
    const unknown = record.requirements.find((id) => !known.has(id));
    if (unknown !== undefined)
      return { line, what: `the case ${record.id} cites the requirement ${unknown}, which the report does not have` };
  }
  return undefined;
}

function countFault(records: readonly ReportRecord[]): StreamFault | undefined {
  const line = records.findIndex(({ record }) => record === "end") + 1;
  const end = records[line - 1] as EndRecord;
  const cases = records.filter((record): record is CaseRecord => record.record === "case");
  for (const verdict of VERDICTS) {
    const there = cases.filter((record) => record.verdict === verdict).length;
    if (there !== end.counts[verdict])
      return { line, what: `it counts ${end.counts[verdict]} ${verdict}, and the report has ${there}` };
  }
  // A case file without a verdict is a fault of the suite that the run itself has reported.
  if (end.exit_code !== 3 && end.case_files !== cases.length)
    return { line, what: `it speaks of ${end.case_files} case files, and the report has ${cases.length} cases` };
  return undefined;
}
