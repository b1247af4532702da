/** A package whose exports the site documents. */
export interface DocumentedPackage {
  /** Below `packages`. */
  folder: string;
  /** In the sidebar, and over every page of the package. */
  title: string;
  /** Leads the addresses of its pages. */
  slug: string;
  /**
   * The modules as users import them, with the entry point of each, in the order of the sidebar. A name that several
   * modules export has its page in the first one, and the others link there.
   */
  modules: Record<string, string>;
  /** Types of the 16+ line in its signatures. They have their pages there, and links lead to them. */
  borrowed?: string[];
}

/**
 * Every line is converted separately: shared names have a page in each, and no link leads from one line to the other.
 */
export const PACKAGES: readonly DocumentedPackage[] = [
  {
    folder: "v16",
    title: "perdura 16+",
    slug: "perdura-16",
    modules: {
      "perdura/pattern_library": "src/pattern_library.ts",
      "perdura/pattern_persistence": "src/pattern_persistence.ts",
      "perdura/metrics_collector": "src/metrics_collector.ts",
      perdura: "src/index.ts",
    },
  },
  {
    folder: "v15",
    title: "perdura before 16",
    slug: "perdura-15",
    modules: { "perdura/persistence": "src/persistence.ts", perdura: "src/index.ts" },
  },
  {
    folder: "postgres",
    title: "@perdura/postgres",
    slug: "postgres",
    modules: { "@perdura/postgres": "src/index.ts", "@perdura/postgres/tables": "src/tables.ts" },
    borrowed: [
      "BreakdownKeys",
      "BreakdownOptions",
      "BreakdownRow",
      "Clock",
      "ExportOptions",
      "FilePath",
      "FoundKeys",
      "GlobalStats",
      "InteractionRecord",
      "ListOptions",
      "ListedInteraction",
      "PatternLibrary",
      "Percentiles",
      "SaveResult",
      "SaveToSqliteOptions",
      "StatisticsOptions",
      "TrendOptions",
      "TrendPeriod",
      "UserStats",
      "UserTrendOptions",
      "UserTrendPeriod",
    ],
  },
  {
    folder: "backup",
    title: "@perdura/backup",
    slug: "backup",
    modules: { "@perdura/backup": "src/index.ts" },
    borrowed: ["Clock", "PatternLibrary"],
  },
  {
    folder: "migrator",
    title: "@perdura/migrator",
    slug: "migrator",
    modules: { "@perdura/migrator": "src/index.ts" },
  },
  {
    folder: "inspect",
    title: "@perdura/inspect",
    slug: "inspect",
    modules: { "@perdura/inspect": "src/index.ts" },
    borrowed: ["BreakdownRow", "Bucket", "JsonValue", "Percentiles", "TrendPeriod"],
  },
  {
    folder: "mcp",
    title: "@perdura/mcp",
    slug: "mcp",
    modules: { "@perdura/mcp": "src/index.ts" },
    borrowed: [
      "BreakdownOptions",
      "BreakdownRow",
      "GlobalStats",
      "PatternLibrary",
      "Percentiles",
      "StatisticsOptions",
      "TrendOptions",
      "TrendPeriod",
      "UserStats",
      "UserTrendOptions",
      "UserTrendPeriod",
    ],
  },
  {
    folder: "otel",
    title: "@perdura/otel",
    slug: "otel",
    modules: { "@perdura/otel": "src/index.ts" },
  },
  {
    folder: "conformance",
    title: "@perdura/conformance",
    slug: "conformance",
    modules: { "@perdura/conformance": "src/index.ts", "@perdura/conformance/vitest": "src/vitest.ts" },
  },
];
