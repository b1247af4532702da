import type { Finding } from "../inspect/findings.ts";
import { readJsonText } from "../values/json_reader.ts";
import type { JsonValue } from "../values/json_value.ts";
import { TextPlaces } from "../values/strict_json.ts";
import type { StrictReading } from "../values/strict_json.ts";
import { FindingList } from "./finding_list.ts";
import { suiteText } from "../inspect/suite_text.ts";

/**
 * Judges a JSON file that was read: first the faults of the text, then the findings of `judge` about its value. Every
 * finding gets its line and column; for that the text is read a second time, only if there are findings.
 * @param requirement the requirement of a JSON file of this kind.
 */
export function judgeDocument(
  reading: StrictReading,
  requirement: string | undefined,
  judge: (value: JsonValue, list: FindingList) => void,
): Finding[] {
  const list = new FindingList();
  for (const { message, line, column } of reading.faults)
    list.error(requirement, {
      at: "",
      wanted: "strict JSON: UTF-8, no byte order mark, no repeated keys",
      got: suiteText(message),
      line,
      column,
    });
  if (reading.value !== undefined) judge(reading.value, list);
  const findings = list.all();
  if (reading.value !== undefined && findings.length > 0) locate(findings, reading);
  return findings;
}

function locate(findings: Finding[], { text, faults }: StrictReading): void {
  const asked = new Map<string, number>(findings.map(({ at }) => [at, 0]));
  const keys = new Map<number, string>(faults.map(({ offset }) => [offset, ""]));
  readJsonText(text, {
    value(pointer, offset, key) {
      // The last value of a repeated key is used, so its place is shown.
      if (asked.has(pointer)) asked.set(pointer, offset);
      if (key !== undefined && keys.has(key)) keys.set(key, pointer);
    },
  });
  const places = new TextPlaces(text);
  for (const finding of findings) {
    if (finding.line === undefined) Object.assign(finding, places.at(asked.get(finding.at) ?? 0));
    else {
      const fault = faults.find(({ line, column }) => line === finding.line && column === finding.column);
      finding.at = keys.get(fault?.offset ?? -1) ?? "";
    }
  }
}
