import { AdapterFault } from "../../../../../packages/conformance/src/protocol/channel.ts";
import { checkAnswer } from "../../../../../packages/conformance/src/protocol/check_answer.ts";
import type { Request } from "../../../../../packages/conformance/src/protocol/messages.ts";
import type { Chance } from "../../../../../test/hostile/chance.ts";
import { bytesOf } from "../../../../../test/hostile/hostile_bytes.ts";
import { hostileText } from "../../../../../test/hostile/hostile_text.ts";
import { hostileValue, nearly } from "../../../../../test/hostile/hostile_values.ts";
import { faultsOfError } from "../judge_error.ts";
import type { Try } from "../reader.ts";
import { plainly } from "./strict_text.ts";

/** Answers of an adapter to the suite: text of a program under test. */
export const answers = (): Try => ({ document: tryAnswer });

const REQUESTS: readonly [Request, object][] = [
  [
    { seq: 7, type: "hello", protocol: 1, line: "16", sandbox: "/sandbox" },
    {
      seq: 7,
      type: "ok",
      protocol: 1,
      spec_version: "16.0.0",
      implementation: { name: "mine", version: "1.0.0", language: "Rust" },
      capabilities: ["patterns_json"],
      choices: { "U-text": "ruled" },
    },
  ],
  [
    { seq: 7, type: "call", op: "patterns.load_json", args: {} },
    { seq: 7, type: "ok", value: { a: [1, { $int: "9007199254740993" }] } },
  ],
  [
    { seq: 7, type: "call", op: "metrics.record", args: {} },
    { seq: 7, type: "error", kind: "rejected", native: "ValueError", message: "no" },
  ],
  [
    { seq: 7, type: "call", op: "state.load", args: {} },
    { seq: 7, type: "unsupported", reason: "not built" },
  ],
  [
    { seq: 7, type: "settle" },
    { seq: 7, type: "ok", tables: [{ db_path: "metrics.db", file: "/sandbox/dump.json" }] },
  ],
  [
    { seq: 7, type: "end" },
    { seq: 7, type: "ok" },
  ],
];

function tryAnswer(chance: Chance): string[] {
  const [request, good] = chance.pick(REQUESTS);
  const answer = chance.percent(3) ? hostileValue(chance) : nearly(good, chance, chance.pick([0, 1, 1, 2, 3]));
  // A line feed ends a line, and invalid UTF-8 is refused before this point.
  const line = chance.percent(3) ? hostileText(chance) : bytesOf(answer, chance).toString("utf8").replaceAll("\n", " ");
  return judgeAnswer(line, request);
}

/** Reads one answer: the result must equal what was sent, or be a fault of the adapter. */
function judgeAnswer(line: string, request: Request): string[] {
  const { isJson, value } = plainly(Buffer.from(line));
  try {
    const read = checkAnswer(line, request);
    if (!isJson && !line.startsWith("\ufeff")) return ["accepted, but is not JSON"];
    return JSON.stringify(read) === JSON.stringify(value) ? [] : ["read with other content than was sent"];
  } catch (error) {
    return faultsOfError(error, { own: (one) => one instanceof AdapterFault });
  }
}
