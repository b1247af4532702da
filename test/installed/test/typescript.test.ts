import { cpSync, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, inject, test } from "vitest";
import { BareFolder, EVERYTHING } from "../src/bare_folder.ts";

const require = createRequire(import.meta.url);

/** Uses each line like its users, passes objects of one to the other, and names the exports of each module. */
const CONSUMER = `
import { MetricsCollector, PatternLibrary, PatternPersistence, StateManager } from "perdura-15/persistence";
import type { CollaborationState } from "perdura-15";
import * as sixteen from "perdura";
import { PatternLibrary as Library } from "perdura/pattern_library";
import { PatternPersistence as Persistence } from "perdura/pattern_persistence";
import { MetricsCollector as Collector } from "perdura/metrics_collector";
import type { GlobalStats, Pattern, UserStats } from "perdura";
import * as migrator from "@perdura/migrator";
import * as conformance from "@perdura/conformance";
import * as backup from "@perdura/backup";
import * as inspect from "@perdura/inspect";
import { PostgresMetricsCollector } from "@perdura/postgres";
import { PerduraSpanProcessor } from "@perdura/otel";
import type { SpanProcessor } from "@opentelemetry/sdk-trace-base";
import { Pool } from "pg";

const library: PatternLibrary = new PatternLibrary();
const pattern: Pattern = library.contribute("agent-1", { id: "p", pattern_type: "t", name: "n", confidence: 0.5 });
Persistence.saveToJson(library, "patterns.json");
const again: Library = Persistence.loadFromJson("patterns.json");
PatternPersistence.saveToSqlite(again, "patterns.db", { mode: "replace" });

const before = new MetricsCollector("metrics.db");
before.recordMetric("alice", 3, true, 12.5, { tool: "search" });
const after = new Collector("metrics.db", { durability: "normal", clock: () => new Date(0) });
after.recordMetric("alice", true, 12.5);
const statistics: UserStats = after.getUserStats("alice");
const all: GlobalStats = after.getGlobalStats();
const state: CollaborationState | null = new StateManager("state").loadState("alice");
if (sixteen.isPerduraError(statistics)) throw statistics;

// @ts-expect-error: the level parameter went away in 16
after.recordMetric("alice", 3, true, 12.5);
// @ts-expect-error: and so did this class
void sixteen.StateManager;
// @ts-expect-error: a level is missing
before.recordMetric("alice", true, 12.5);

const report: Promise<migrator.MigrationReport> = migrator.migrate(["data"]);
const store: Promise<backup.BackupStore> | backup.BackupStore = backup.openBackupStore("file:///backups");
const adapter = conformance.commandAdapter("python3 adapter.py");
const shared = new PostgresMetricsCollector(new Pool(), { schema: "agents" });
const summary: Promise<inspect.Summary> = inspect.summarizeData("data");
const processors: SpanProcessor[] = [before, after, shared].map((each) => new PerduraSpanProcessor(each));
export { adapter, all, pattern, processors, report, shared, state, store, summary };
`;

const MODES = {
  nodenext: { module: "nodenext", moduleResolution: "nodenext", lib: ["es2022"] },
  bundler: { module: "esnext", moduleResolution: "bundler", lib: ["es2022"] },
  browser: { module: "esnext", moduleResolution: "bundler", lib: ["es2022", "dom"] },
} as const;

/** Projects that set no `types`, no `lib` and no `target`. TypeScript 5 then compiles for ES5 with `bundler`. */
const DEFAULTS = {
  "defaults-nodenext": { module: "nodenext" },
  "defaults-bundler": { module: "esnext", moduleResolution: "bundler", strict: true },
} as const;

/**
 * Conflicts between types of browsers and those of a package concern names only, and are the same for all compilers.
 */
const COMPILERS: readonly (readonly [
  compiler: string,
  modes: readonly (keyof typeof MODES)[],
  defaults: readonly (keyof typeof DEFAULTS)[],
])[] = [
  ["typescript-5", ["nodenext", "bundler"], ["defaults-nodenext", "defaults-bundler"]],
  ["typescript-6", ["nodenext", "bundler"], ["defaults-nodenext"]],
  ["typescript-7", ["nodenext", "bundler", "browser"], ["defaults-bundler"]],
];

/** Checks only our packages' types and the consumer: other people's types take three quarters of the time of `tsc`. */
const CHECK_TYPES = fileURLToPath(new URL("programs/check_types.ts", import.meta.url));

/** A consumer that needs neither `@types/node` nor `@types/pg`. */
const PLAIN_CONSUMER = CONSUMER.replace(/^import \{ Pool \} .*$/m, "").replace(
  "new Pool()",
  '"postgres://localhost/agents"',
);

test("a consumer compiles with TypeScript 5.9, 6 and 7, including checks of the packages' types", () => {
  const folder = new BareFolder(inject("npmRegistry"));
  folder.install(...EVERYTHING);
  folder.write("consumer.ts", CONSUMER);
  for (const [mode, options] of Object.entries(MODES))
    folder.write(
      `tsconfig.${mode}.json`,
      JSON.stringify({
        compilerOptions: {
          ...options,
          target: "es2022",
          strict: true,
          exactOptionalPropertyTypes: true,
          skipLibCheck: false,
          noEmit: true,
          types: ["node"],
        },
        files: ["consumer.ts"],
      }),
    );

  const plain = new BareFolder(inject("npmRegistry"));
  plain.write("plain.ts", PLAIN_CONSUMER);
  for (const [mode, options] of Object.entries(DEFAULTS))
    plain.write(
      `tsconfig.${mode}.json`,
      JSON.stringify({ compilerOptions: { ...options, noEmit: true }, files: ["plain.ts"] }),
    );
  cpSync(join(folder.path, "node_modules"), join(plain.path, "node_modules"), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => basename(path) !== "@types",
  });

  const outcomes = COMPILERS.map(([compiler, modes, defaults]) => {
    const place = dirname(require.resolve(`${compiler}/package.json`));
    const module = join(place, "lib", "typescript.js");
    // TypeScript 7 is not written in JavaScript, and checks everything in less time.
    const program = existsSync(module)
      ? ["--no-warnings", CHECK_TYPES, module]
      : [join(place, "bin", "tsc"), "--build"];
    const projects = [
      ...modes.map((mode) => join(folder.path, `tsconfig.${mode}.json`)),
      ...defaults.map((mode) => join(plain.path, `tsconfig.${mode}.json`)),
    ];
    const { status, stdout, stderr } = folder.run(process.execPath, ...program, ...projects);
    return `${compiler}: ${status === 0 ? "fine" : stdout + stderr}`;
  });
  expect(outcomes).toEqual(COMPILERS.map(([compiler]) => `${compiler}: fine`));
});
