import { readFileSync, statSync } from "node:fs";
import { openCopy, type ScratchDatabase } from "../inspect/database_copy.ts";
import type { Finding } from "../inspect/findings.ts";
import { isObject } from "../values/json_value.ts";
import type { StrictReading } from "../values/strict_json.ts";
import { objectsOf } from "./database_objects.ts";
import type { FileKind, JudgedAs, Line } from "./file_report.ts";
import { FindingList } from "./finding_list.ts";
import { suiteText } from "../inspect/suite_text.ts";
import { judgeDocument } from "./json_document.ts";
import { judgeExport } from "./judge_export.ts";
import { judgeLibrary, judgeLibraryBytes } from "./judge_library.ts";
import { judgeMetricsDatabase } from "./judge_metrics_database.ts";
import { judgePatternsDatabase } from "./judge_patterns_database.ts";
import { judgeState, judgeStateBytes } from "./judge_state.ts";
import { reportSqliteErrors, judgeIntegrity } from "./integrity.ts";

/** An opened file: the text of a JSON file, or the copy of a database. */
interface Opened {
  reading?: StrictReading;
  copy?: ScratchDatabase;
}

const JUDGED = "a pattern library, a collaboration state, or a pattern or metrics database";

/** Judges an opened file for each line. Parts that the lines share are judged once. */
export function judgeByLine(kind: FileKind | "empty", opened: Opened, lines: readonly Line[]): Map<Line, Finding[]> {
  const { reading, copy } = opened as Required<Opened>;
  const shared = (findings: Finding[], more: (line: Line) => Finding[] = () => []): Map<Line, Finding[]> =>
    new Map(lines.map((line) => [line, [...findings, ...more(line)]]));
  switch (kind) {
    case "library":
      return shared(judgeLibrary(reading));
    case "state":
      return shared(judgeState(reading), (line) => (line === "16" ? [stateIn16()] : []));
    case "metrics-export":
      return shared([], (line) => judgeExport(reading, line));
    case "patterns-database":
      return shared(judgePatternsDatabase(copy));
    case "metrics-database":
      return shared([], (line) => judgeMetricsDatabase(copy, line));
    case "combined-database":
      return shared(judgePatternsDatabase(copy), (line) => judgeMetricsDatabase(copy, line));
    case "sqlite":
      return shared(otherDatabase(copy));
    case "json":
    case "other":
      return shared(otherText(reading, kind));
    case "empty":
      return shared([{ level: "error", at: "", wanted: JUDGED, got: suiteText("an empty file"), line: 1, column: 1 }]);
  }
}

function stateIn16(): Finding {
  return {
    level: "error",
    requirement: "R-9/state-manager.removed",
    at: "",
    wanted: "no collaboration state: 16.0.0 has no StateManager",
    got: suiteText("a collaboration state; archive it to upgrade to 16"),
  };
}

function otherText(reading: StrictReading, kind: "json" | "other"): Finding[] {
  const fault = reading.faults[0];
  if (kind === "other" && fault) {
    const { message, line, column } = fault;
    return [
      {
        level: "error",
        at: "",
        wanted: JUDGED,
        got: suiteText(`not an SQLite database, and ${message}`),
        line,
        column,
      },
    ];
  }
  return judgeDocument(reading, undefined, (value, list) =>
    list.error(undefined, {
      at: "",
      wanted: JUDGED,
      got: isObject(value) ? suiteText(`a JSON object with the keys ${firstOf(Object.keys(value))}`) : value,
    }),
  );
}

/** The first names of a list. */
function firstOf(names: string[]): string {
  return names.length === 0 ? "(none)" : `${names.slice(0, 10).join(", ")}${names.length > 10 ? " and more" : ""}`;
}

function otherDatabase(copy: ScratchDatabase): Finding[] {
  const list = new FindingList();
  if (judgeIntegrity(copy, list))
    reportSqliteErrors(list, "", "a readable database", () => {
      const names = [...objectsOf(copy).values()].map(({ name }) => name);
      list.error(undefined, {
        at: "",
        wanted: JUDGED,
        got: suiteText(
          names.length === 0 ? "a database without tables" : `a database with the tables and views ${firstOf(names)}`,
        ),
      });
    });
  return list.all();
}

/**
 * Judges a file like `check-file`, for a step of a case: a file of the implementation must break no stated requirement.
 * @param path the file; `name` is its name in the case.
 * @param scratch a folder of the suite, for the copy of a database.
 * @returns the errors, without remarks, since open questions have their own cases.
 * @example judgeWrittenFile("library", join(directory, "library.json"), "library.json", "16", scratch)
 */
export function judgeWrittenFile(as: JudgedAs, path: string, name: string, line: Line, scratch: string): Finding[] {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    return [{ at: "", wanted: `the file ${name}`, got: undefined }];
  return judge(as, path, line, scratch)
    .filter(({ level }) => level !== "remark")
    .map((finding) => ({ check: finding.requirement ?? as, ...finding }));
}

function judge(as: JudgedAs, path: string, line: Line, scratch: string): Finding[] {
  if (as === "library") return judgeLibraryBytes(readFileSync(path));
  if (as === "state") return judgeStateBytes(readFileSync(path));
  const copy = openCopy(path, scratch);
  try {
    return as === "patterns-database" ? judgePatternsDatabase(copy) : judgeMetricsDatabase(copy, line);
  } finally {
    copy.close();
  }
}
