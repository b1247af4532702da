import type { JsonValue } from "../../../../packages/conformance/src/values/json_value.ts";
import { alters, answers, editsLibrary, ok, refusal, row } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";

/** Changes the answer about an importable name; without a module, of the package itself. */
const members = (module: string | undefined, name: string, given: boolean): Mutation =>
  answers("has_member", (answer, { args }) =>
    args.module === module && args.name === name ? ok(answer, given) : answer,
  );
const modules = (name: string, given: boolean): Mutation =>
  answers("has_module", (answer, { args }) => (args.name === name ? ok(answer, given) : answer));
const computed = (column: string, from: string): Mutation =>
  alters(`ALTER TABLE interactions ADD COLUMN ${column} INTEGER GENERATED ALWAYS AS (${from}) VIRTUAL`);
const renamed = (column: string, to: string): Mutation =>
  alters(`ALTER TABLE interactions RENAME COLUMN ${column} TO ${to}`);
const versions = (version: JsonValue): Mutation =>
  editsLibrary(({ metadata }) => {
    metadata.version = version;
  });
const loadsOwn = (op: string): Mutation => answers(op, (answer) => refusal(answer, "UnsupportedFormatError"));

/** Lines that lack something of their own, or still have something of the other line. */
export const VERSIONS: readonly Mutant[] = [
  row(
    "exports PatternLibrary from the package only",
    "R-1/modules",
    16,
    "versioning/modules",
    members("pattern_library", "PatternLibrary", false),
  ),
  row(
    "exports every name from every module",
    "R-1/modules",
    16,
    "versioning/modules",
    answers("has_member", (answer) => ok(answer, true)),
  ),
  row("has no facade", "R-9/facade", 15, "versioning/facade", modules("persistence", false)),
  row(
    "has no StateManager in the facade",
    "R-9/facade",
    15,
    "versioning/facade",
    members("persistence", "StateManager", false),
  ),
  row("still has the facade", "R-9/facade.removed", 16, "versioning/facade-removed", modules("persistence", true)),
  row(
    "still exports MetricsCollector from the facade",
    "R-9/facade.removed",
    16,
    "versioning/facade-removed",
    members("persistence", "MetricsCollector", true),
  ),
  row(
    "still exports StateManager from the package",
    "R-9/state-manager.removed",
    16,
    "versioning/state-manager-removed",
    members(undefined, "StateManager", true),
  ),
  row(
    "has StateManager in a separate module",
    "R-9/state-manager.removed",
    16,
    "versioning/state-manager-removed",
    members("state_manager", "StateManager", true),
  ),
  row(
    "has no module pattern_persistence",
    "R-9/import.pattern-persistence",
    16,
    "versioning/import-pattern-persistence",
    modules("pattern_persistence", false),
  ),
  row(
    "exports MetricsCollector under another name",
    "R-9/import.metrics-collector",
    16,
    "versioning/import-metrics-collector",
    members("metrics_collector", "MetricsCollector", false),
  ),
  row(
    "keeps empathy_level as a generated column",
    "R-9/level-column",
    16,
    "versioning/level-column",
    computed("empathy_level", "level"),
  ),
  row(
    "still names the column empathy_level",
    "R-9/level-column",
    16,
    "versioning/level-column",
    renamed("level", "empathy_level"),
  ),
  row(
    "has a generated column level before 16",
    "R-9/level-column.before-16",
    15,
    "versioning/level-column-before-16",
    computed("level", "empathy_level"),
  ),
  row(
    "names the column level before 16",
    "R-9/level-column.before-16",
    15,
    "versioning/level-column-before-16",
    renamed("empathy_level", "level"),
  ),
  row(
    "accepts the removed parameter empathy_level",
    "R-9/empathy-level.removed",
    16,
    "versioning/empathy-level-removed",
    {
      before(request) {
        if (request.op !== "record_metric" || !("empathy_level" in request.args)) return request;
        const { empathy_level: level = null, metadata: _left, ...args } = request.args;
        return { ...request, op: "record_interaction", args: { ...args, level } };
      },
    },
  ),
  row(
    "still requires empathy_level",
    "R-9/empathy-level.removed",
    16,
    "versioning/empathy-level-removed",
    answers("record_metric", (answer, { args }) => ("empathy_level" in args ? answer : refusal(answer, "TypeError"))),
  ),
  row(
    "writes the version of a library file as a number",
    "R-9/file-version",
    16,
    "versioning/file-version",
    versions(1),
  ),
  row("writes 2.0 as the format version of 16", "R-9/file-version", 16, "versioning/file-version", versions("2.0")),
  row(
    "reads only library files of its own line",
    "R-9/cross-line",
    16,
    "versioning/cross-line-json",
    loadsOwn("load_from_json"),
  ),
  row(
    "reads only databases of its own line",
    "R-9/cross-line",
    15,
    "versioning/cross-line-sqlite",
    loadsOwn("load_from_sqlite"),
  ),
  row(
    "has the split modules before 16",
    "U-split-modules",
    15,
    "versioning/split-modules-before-16",
    answers("has_module", (answer) => ok(answer, true)),
  ),
];
