import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { mustBe, type Operation } from "./operation.ts";
import { fileIn, METRICS_LINES, rowsIn } from "./recording_operations.ts";

const ROWS = 400;
const FORMATS = ["json", "jsonl", "csv"] as const;
type Format = (typeof FORMATS)[number];

const open = (number: string, directory: string): v15.MetricsCollector | v16.MetricsCollector =>
  number === "15" ? new v15.MetricsCollector(fileIn(directory)) : new v16.MetricsCollector(fileIn(directory));

/** Users in a complete export. */
function usersIn(format: Format, path: string): string[] {
  const text = readFileSync(path, "utf8");
  if (format === "json")
    return (JSON.parse(text) as { interactions: { user_id: string }[] }).interactions.map(({ user_id }) => user_id);
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  if (format === "jsonl") return lines.map((line) => (JSON.parse(line) as { user_id: string }).user_id);
  const column = (lines[0] as string).split(",").indexOf("user_id");
  return lines.slice(1).map((line) => line.split(",")[column] as string);
}

const exporting = (number: string, format: Format, fresh: boolean): Operation => ({
  name: `export ${format}${fresh ? "" : ", over an older one"} (${number})`,
  steps: 1,
  layOut: (directory) => {
    const collector = open(number, directory);
    try {
      const line = METRICS_LINES.find((each) => each.number === number) as (typeof METRICS_LINES)[number];
      const users = (first: number, count: number): string[] =>
        Array.from({ length: count }, (_, row) => `u${first + row}`);
      line.many(collector, users(0, 1));
      if (!fresh) collector.exportMetrics(join(directory, `metrics.${format}`));
      line.many(collector, users(1, ROWS - 1));
    } finally {
      collector.close();
    }
  },
  perform: (directory, acknowledge) => {
    const collector = open(number, directory);
    try {
      mustBe(collector.exportMetrics(join(directory, `metrics.${format}`)), ROWS, "rows that are said to be exported");
      acknowledge();
    } finally {
      collector.close();
    }
  },
  stepsIn: (directory) => {
    mustBe(rowsIn(directory), ROWS, "rows");
    const path = join(directory, `metrics.${format}`);
    if (fresh && !existsSync(path)) return 0;
    const users = usersIn(format, path);
    if (!fresh && users.length === 1) return 0;
    mustBe(
      users,
      Array.from({ length: ROWS }, (_, row) => `u${row}`),
      "users in the export",
    );
    return 1;
  },
});

/** Exports of each format. */
export const EXPORT_OPERATIONS: readonly Operation[] = [
  ...FORMATS.map((format) => exporting("16", format, true)),
  ...FORMATS.map((format) => exporting("16", format, false)),
  exporting("15", "json", false),
];
