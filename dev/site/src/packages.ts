/** A package whose exports the site documents. */
export interface DocumentedPackage {
  /** Below `packages`. */
  folder: string;
  /** In the sidebar, and over every page of the package. */
  title: string;
  /** Leads the addresses of its pages. */
  slug: string;
  /**
   * The modules as users import them, and the entry point of each, in the order in which they stand in the sidebar. A name
   * that several modules export has its page in the first, and the others lead there.
   */
  modules: Record<string, string>;
  /** Types of the 16+ line that its signatures name. They have their pages there, and links lead to them. */
  borrowed?: string[];
}

/** Every line is converted by itself: what both share has a page in each, and no link leads from one line into the other. */
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
      "Clock",
      "ExportOptions",
      "GlobalStats",
      "InteractionRecord",
      "JsonObject",
      "PatternLibrary",
      "SaveResult",
      "SaveToSqliteOptions",
      "UserStats",
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
    folder: "conformance",
    title: "@perdura/conformance",
    slug: "conformance",
    modules: { "@perdura/conformance": "src/index.ts", "@perdura/conformance/vitest": "src/vitest.ts" },
  },
];
