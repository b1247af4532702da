import type { JsonObject } from "../../../../packages/conformance/src/values/json_value.ts";
import { givesEach } from "./json_mutations.ts";
import { asks } from "./metrics_mutations.ts";
import { rowIn, value } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";
import { loads } from "./sqlite_mutations.ts";
import { saves } from "./state_mutations.ts";

/** Loses the code of patterns without a description on the second way through a file of another format. */
function losesCodeOnSecondWay(): Mutation {
  const ofFile = new Map<string, string>();
  const ofLibrary = new Map<string | undefined, string>();
  const fileOf = ({ filepath, db_path: database }: JsonObject): string => String(filepath ?? database);
  return {
    answer(request, answer) {
      const { op, args, handle, keep } = request;
      if (op === "PatternLibrary") ofLibrary.set(keep, "");
      if (op === "save_to_json") ofFile.set(fileOf(args), `${ofLibrary.get(handle)}J`);
      if (op === "save_to_sqlite") ofFile.set(fileOf(args), `${ofLibrary.get(handle)}S`);
      if (op !== "load_from_json" && op !== "load_from_sqlite") return answer;
      const way = ofFile.get(fileOf(args)) ?? "";
      ofLibrary.set(keep, way);
      return new Set(way).size === 2
        ? value(answer, (library) => ({
            ...(library as JsonObject),
            patterns: ((library as JsonObject).patterns as JsonObject[]).map(({ code, ...rest }) =>
              (rest.description ?? null) === null ? rest : { ...rest, code: code ?? null },
            ),
          }))
        : answer;
    },
  };
}

const generated = rowIn("generated");

/** Faults that show only where several values or calls come together. */
export const GENERATED: readonly Mutant[] = [
  generated(
    "does not count failed interactions at level 4 of less than half a millisecond",
    "R-2.6/total-operations",
    15,
    "metrics",
    asks(
      "get_user_stats",
      "SELECT count(*) AS total_operations FROM interactions WHERE user_id = ? AND NOT (empathy_level = 4 AND success = 0 AND response_time_ms < 0.5)",
    ),
  ),
  generated(
    "loads no tags of patterns that have an agent with a long id and no code",
    "R-2.1/tags.array",
    16,
    "json-libraries",
    givesEach("load_from_json", (pattern) => {
      if (String(pattern.agent_id).length > 8 && (pattern.code ?? null) === null) pattern.tags = null;
    }),
  ),
  generated(
    "loads patterns that failed more than a hundred times as never used",
    "R-2.1/counts.integer",
    15,
    "sqlite-libraries",
    loads((pattern) =>
      Number(pattern.failure_count) > 100 && Number(pattern.success_count) > 100
        ? { ...pattern, usage_count: 0 }
        : pattern,
    ),
  ),
  generated(
    "loses the code of patterns without a description on the second way through both formats",
    "R-4.1/cross-format",
    16,
    "both-libraries",
    losesCodeOnSecondWay(),
  ),
  generated(
    "saves at most 2^31 interactions of users at level 5",
    "R-2.8/counts",
    15,
    "states",
    saves((state) =>
      state.current_level === 5
        ? { ...state, interaction_count: Math.min(Number(state.interaction_count), 2 ** 31) }
        : state,
    ),
  ),
];
