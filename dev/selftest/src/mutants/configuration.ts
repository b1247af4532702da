import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject } from "../../../../packages/conformance/src/values/json_value.ts";
import type { JsonObject, JsonValue } from "../../../../packages/conformance/src/values/json_value.ts";
import { answers, ok, receives, refusal, row } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";

const pathOf = ({ config }: JsonObject): string => String((config as JsonObject).persistence_path);

/** Opens another configuration than the given one. */
const opens = (change: (config: JsonObject, directory: string) => JsonObject): Mutation =>
  receives("open_persistence", (args, directory) => ({
    config: isObject(args.config) ? change(args.config, directory) : (args.config as JsonValue),
  }));
const KEYS = new Set(["persistence_enabled", "persistence_path", "user_id", "target_level"]);
/** Refuses some valid configurations. */
const refuses = (when: (config: JsonObject) => boolean): Mutation =>
  answers("open_persistence", (answer, { args }) =>
    isObject(args.config) && when(args.config) ? refusal(answer, "TypeError") : answer,
  );
const always: Mutation = opens((config) => ({ ...config, persistence_enabled: true }));
const apart = (name: string): Mutation =>
  opens((config) => ({ ...config, persistence_path: join(String(config.persistence_path), name) }));

/** Counts only the interactions that the same opened object recorded. */
function selfish(): Mutation {
  const counted = new Map<string, number>();
  return {
    answer(request, answer) {
      if (request.op === "open_persistence") counted.set(request.keep ?? "", 0);
      const count = counted.get(request.handle ?? "") ?? 0;
      if (request.op.startsWith("record_")) counted.set(request.handle ?? "", count + 1);
      return request.op === "get_global_stats" && "value" in answer
        ? { ...answer, value: { ...(answer.value as JsonObject), total_interactions: count } }
        : answer;
    },
  };
}

/** Writes a file next to the databases when it opens them. */
const locks = answers("open_persistence", (answer, { args }) => {
  const folder = pathOf(args);
  if (existsSync(folder)) writeFileSync(join(folder, ".lock"), "1");
  return answer;
});

/** Configurations that are refused, ignored or misread. */
export const CONFIGURATION: readonly Mutant[] = [
  row(
    "does not know user_id",
    "R-4.5/user-id",
    16,
    "configuration/fields",
    refuses((config) => "user_id" in config),
  ),
  row(
    "accepts only user ids of one word",
    "R-4.5/user-id",
    15,
    "configuration/user-ids",
    refuses((config) => /\W/.test(String(config.user_id))),
  ),
  row(
    "cannot be disabled",
    "R-4.5/persistence-enabled",
    16,
    "configuration/fields",
    refuses((config) => config.persistence_enabled === false),
  ),
  row(
    "reads persistence_enabled as text",
    "R-4.5/persistence-enabled",
    15,
    "configuration/fields",
    refuses((config) => typeof config.persistence_enabled !== "string"),
  ),
  row(
    "gives persistence_path another name",
    "R-4.5/persistence-path",
    15,
    "configuration/fields",
    refuses((config) => "persistence_path" in config),
  ),
  row(
    "does not accept blanks in a path",
    "R-4.5/persistence-path",
    16,
    "configuration/path-names",
    refuses((config) => String(config.persistence_path).includes(" ")),
  ),
  row(
    "has no target_level before 16",
    "R-4.5/target-level",
    15,
    "configuration/target-level",
    refuses((config) => "target_level" in config),
  ),
  row(
    "refuses a target level of 5",
    "R-4.5/target-level",
    15,
    "configuration/target-level",
    refuses((config) => config.target_level === 5),
  ),
  row("keeps its databases in a separate folder", "U-config", 16, "configuration/files", apart(".persistence")),
  row("creates only one level of directories", "U-config", 16, "configuration/nested-path", {
    before: (request) =>
      request.op === "open_persistence" && !existsSync(dirname(pathOf(request.args)))
        ? refusal(request, "OSError")
        : request,
  }),
  row(
    "keeps everything in memory",
    "U-config",
    15,
    "configuration/same-files",
    opens((config) => ({ ...config, persistence_enabled: false })),
  ),
  row(
    "ignores keys that it does not know",
    "U-config-keys",
    16,
    "configuration/unknown-keys",
    opens((config) => Object.fromEntries(Object.entries(config).filter(([key]) => KEYS.has(key)))),
  ),
  row("keeps states outside state_dir", "U-config", 15, "configuration/state-directory", apart("alice")),
  row("writes files although it is disabled", "U-config", 15, "configuration/disabled", always),
  row("keeps states on the disk although it is disabled", "U-config", 15, "configuration/disabled-states", always),
  row("reads existing files although it is disabled", "U-config", 16, "configuration/disabled-existing-data", always),
  row("shares one memory among all disabled instances", "U-config", 16, "configuration/disabled-forgets", always),
  row(
    "ignores target_level in 16",
    "U-config",
    16,
    "configuration/target-level-refused",
    opens((config) => Object.fromEntries(Object.entries(config).filter(([key]) => key !== "target_level"))),
  ),
  row(
    "reads any text as true",
    "U-range",
    16,
    "configuration/wrong-types",
    opens((config) => ({ ...config, persistence_enabled: Boolean(config.persistence_enabled) })),
  ),
  row(
    "returns an empty library before the first save",
    "U-sqlite-missing",
    16,
    "configuration/nothing-saved-yet",
    answers("load_patterns", (answer) =>
      answer.type === "error" ? ok(answer, { patterns: [], agent_contributions: {} }) : answer,
    ),
  ),
  row("counts its own interactions only", "X-two-handles", 16, "configuration/two-openings", selfish()),
  row("leaves a lock file", "X-no-leftovers", 15, "configuration/no-leftovers", locks),
];
