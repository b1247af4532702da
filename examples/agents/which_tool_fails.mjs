import { readFileSync } from "node:fs";

/** Prints the calls and the failures of each tool. */
export function whichToolFails(metrics) {
  metrics.exportMetrics("metrics.jsonl");
  const rows = readFileSync("metrics.jsonl", "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const byTool = Map.groupBy(rows, ({ metadata }) => metadata?.tool);
  for (const [tool, calls] of byTool)
    if (tool !== undefined)
      console.log(`${tool}: ${calls.length} calls, ${calls.filter(({ success }) => !success).length} failed`);
}
