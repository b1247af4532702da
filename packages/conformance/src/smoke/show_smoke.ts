import { count } from "../results/conclusion.ts";
import { escapeControls } from "../values/escape.ts";
import type { SmokeLine, SmokeResult } from "./run_smoke.ts";
import { SMOKE_CALLS } from "./smoke_calls.ts";

/** Columns of the longest result. */
const WIDTH = "not declared".length;

/** The result of a smoke test as text: a line for each operation, the first fault explained, the conclusion. */
export function smokeText(result: SmokeResult): string {
  const { implementation: name, spec_version } = result;
  const head = name === null ? [] : [`${name.name} ${name.version}, specification ${spec_version}`, ""];
  const lines = result.lines.map((line) => `${line.result.padEnd(WIDTH)}  ${line.op}`);
  const first = explanation(result);
  return [...head, ...lines, ...(lines.length === 0 ? [] : [""]), ...first, smokeSummary(result), ""]
    .map((line) => escapeControls(line))
    .join("\n");
}

/** The conclusion in one line. */
export function smokeSummary({ lines, passed, fault }: SmokeResult): string {
  const declared = lines.filter(({ result }) => result !== "not declared");
  const fine = declared.filter(({ result }) => result === "ok").length;
  const more = !passed && fault !== "" && lines.length > 0 ? ", but the adapter failed afterwards" : "";
  return lines.length === 0
    ? "No operation was called."
    : `${fine} of ${count(declared.length, "declared operation")} answered ok${more}.`;
}

const WHAT: Readonly<Partial<Record<SmokeLine["result"], string>>> = {
  error: "answered an error",
  unsupported: "is declared, and answered unsupported",
  fault: "got no valid answer",
  "not tried": "could not be tried",
};

function explanation({ lines, fault }: SmokeResult): string[] {
  const line = lines.find(({ result }) => result !== "ok" && result !== "not declared");
  if (line === undefined)
    return fault === "" ? [] : [`The adapter failed: ${fault}`, "See docs/adapter.md, “A conversation”.", ""];
  const call = SMOKE_CALLS.find(({ op }) => op === line.op);
  const [detail, ...stderr] = line.detail.split("\n");
  return [
    `First problem: ${line.op} ${WHAT[line.result]}.`,
    `  received  ${detail}`,
    ...stderr.map((text) => `            ${text}`),
    `  expected  {"seq": (that of the request), "type": "ok", "value": …}`,
    `  value     ${call?.value}`,
    "See docs/adapter.md, “Operations”.",
    "",
  ];
}
