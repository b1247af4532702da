/**
 * Which package may import which, and the order of the folders inside of each; rules `perdura/packages` and
 * `perdura/layers`. Imports of types count as well.
 */

/**
 * By package: the packages that it may import. Those that it loads only if a user needs them are imported as types, or with
 * `import()`. `why` is the reason for the limit.
 */
export const PACKAGES = {
  inspect: {
    imports: ["migrator", "summary", "internals", "cli"],
    onDemand: ["postgres"],
    why: "perdura-inspect reads data of both lines without the code of either; only users of a server install postgres.",
  },
  migrator: {
    imports: ["summary", "internals", "cli"],
    onDemand: ["postgres"],
    why: "inspect is above the migrator, which needs neither line; only users of a server install postgres.",
  },
  backup: {
    imports: ["internals", "cli"],
    why: "perdura-backup copies files of both lines without the code of either.",
  },
  summary: {
    imports: ["internals", "cli"],
    why: "summary is bundled into the programs, so it is below them.",
  },
  v15: {
    imports: ["internals"],
    why: "A library reads no command line and prints nothing, and what the lines share is in internals.",
  },
  v16: {
    imports: ["internals"],
    why: "A library reads no command line and prints nothing, and what the lines share is in internals.",
  },
  postgres: {
    imports: ["internals"],
    why: "A library reads no command line and prints nothing, and what it shares with the lines is in internals.",
  },
  internals: { imports: [], why: "All other packages except for cli and conformance are built on internals." },
  conformance: {
    imports: ["cli"],
    why: "If the suite shared code with what it judges, it would share its errors. Only its adapters import the lines.",
  },
  "conformance/adapters": {
    imports: ["v15", "v16", "postgres", "migrator"],
    why: "An adapter uses the published packages only.",
  },
  cli: {
    imports: [],
    why: "The suite uses cli, and shares no code with what it judges. Let the program pass what cli needs.",
  },
};

/** The place of a folder's own files that its order does not name; without it they are above all names. */
export const OTHER_FILES = "*.ts";

/** For folders without an order, yet. */
export const NO_ORDER = null;

/** By folder: the order of its folders, and of single files that these import. Imports go to the right only. */
export const LAYERS = {
  "packages/backup/src": [
    "cli.ts",
    "cli",
    OTHER_FILES,
    "prune",
    "transfer",
    "options.ts",
    "stores",
    "local",
    "layout",
    "version.ts",
  ],
  "packages/backup/src/stores": ["azure", "gcs", "s3", "directory", "remote", "object_store.ts"],
  "packages/conformance/src": [
    "cli",
    "report",
    "matrix",
    "export",
    "implementations.ts",
    "runner",
    "results",
    "table_dump",
    "judge_file",
    "inspect",
    "corpus",
    "protocol",
    "matching",
    "values",
    "at_exit.ts",
    "package_root.ts",
  ],
  "packages/conformance/src/report": ["html"],
  "packages/inspect/src": ["cli", "render", "read", "version.ts"],
  "packages/internals/src": [
    "config",
    "line16",
    "metrics",
    "patterns",
    "state",
    "validity",
    "sqlite",
    "files",
    "json",
    "text",
    "runtime",
    "errors",
    "terminal",
    "generated",
  ],
  "packages/internals/src/metrics": [
    "rollup",
    "overview.ts",
    "overview_stats.ts",
    "statistics.ts",
    "trends",
    "user_stats.ts",
    "stats.ts",
    "aggregates.ts",
    "arguments.ts",
    "schema.ts",
    "lazy.ts",
  ],
  "packages/migrator/src": ["cli", "commands", "find", "library", "database", "archive", "copy", "io", "core"],
  "packages/migrator/src/archive": ["write", "restore", "prune", "read", "states", "format", "tree"],
  "packages/migrator/src/cli": ["render", "table.ts"],
  "packages/migrator/src/copy": ["postgres", "sqlite", "side.ts", "faults.ts", "copy_failure.ts", "tables.ts"],
  "packages/migrator/src/database": NO_ORDER,
  "packages/migrator/src/io": ["child", "pages", "small_cache.ts"],
  "packages/postgres/src": ["metrics", "patterns", "layout", "connection"],
  "packages/summary/src": ["page", "compared_text.ts", "document.ts"],
  "packages/summary/src/page": ["client"],
  "dev/bench/src": [
    "how_far",
    "report",
    "run",
    "rows.ts",
    "rows",
    "postgres",
    "row.ts",
    "data",
    "peers",
    "library",
    "migration",
    "measure",
  ],
  "dev/mutation/src": ["whole", OTHER_FILES],
  "dev/selftest/src": ["mutants", "gold"],
  "dev/soak/src": [
    "main.ts",
    "page",
    OTHER_FILES,
    "power_cut",
    "long_life",
    "full_disk",
    "disks",
    "databases",
    "documents",
    "operations",
    "together",
    "migrations",
    "system_calls",
    "soak.ts",
  ],
  "dev/soak/src/documents": ["readers", "reader.ts", "judge_error.ts", "same_value.ts", "shapes.ts"],
  "dev/soak/src/long_life": ["programs", OTHER_FILES],
  "dev/soak/src/together": ["programs", OTHER_FILES],
};
