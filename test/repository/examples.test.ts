import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { MetricsCollector } from "@perdura/v16";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { layOutMigration, layOutStates } from "../../fixtures/lay_out.ts";
import { examplesOfPage, examplesOfSources, outcomeOf, runExamples } from "./run_example.ts";
import { temporaryFolder } from "../temporary_folder.ts";

/** Pages other than those of the packages; the guide to PostgreSQL needs a server. */
const PAGES = [
  "errors",
  ...["getting-started", "which-line", "backups", "deleting-data", "operations"].map((name) => `guides/${name}`),
];

/** Every example that a reader may paste runs, and prints what its comments state. */
describe("examples", () => {
  const groups = [
    {
      line: "v16",
      examples: [
        ...examplesOfSources("packages/internals/src"),
        ...examplesOfSources("packages/v16/src"),
        ...examplesOfPage("packages/v16/README.md"),
      ],
    },
    { line: "v15", examples: [...examplesOfSources("packages/v15/src"), ...examplesOfPage("packages/v15/README.md")] },
    {
      line: "v16",
      // The example of vitest is run by packages/conformance/test/pages.test.ts.
      examples: examplesOfSources("packages/conformance/src").filter(({ place }) => !place.includes("/vitest.ts")),
    },
    { line: "v16", examples: examplesOfPage("packages/backup/README.md") },
    { line: "v16", examples: [...examplesOfPage("README.md"), ...examplesOfPage("UPGRADING.md")] },
    { line: "v16", examples: PAGES.flatMap((name) => examplesOfPage(`docs/${name}.md`)) },
    {
      line: "inspect",
      examples: [...examplesOfSources("packages/inspect/src"), ...examplesOfPage("packages/inspect/README.md")],
      prepare: layOutMetrics,
    },
    {
      line: "migrator",
      examples: [...examplesOfSources("packages/migrator/src"), ...examplesOfPage("packages/migrator/README.md")],
      prepare: layOutData,
    },
  ] as const;
  const all = groups.flatMap((group) =>
    group.examples.map((example) => ({
      ...example,
      line: group.line,
      prepare: "prepare" in group ? group.prepare : undefined,
    })),
  );
  let outcomes: Awaited<ReturnType<typeof runExamples>> = [];
  beforeAll(async () => {
    outcomes = await runExamples(all);
  });

  test.for(all.map((example, index) => ({ ...example, index })))("$place ($line)", ({ index }) => {
    const { printed, promised } = outcomeOf(outcomes[index]);
    expect(printed).toEqual(promised);
  });
});

/** The examples of the migrator use `./data` of a pre-16 program, and an archive of states. */
function layOutData(directory: string): void {
  layOutMigration("persistence-directory", join(directory, "data"));
  copyFileSync((archive ??= makeArchive()), join(directory, "empathy_state.v15.sqlar"));
}

/** The examples of perdura-inspect use `./data` of a 16 program. */
function layOutMetrics(directory: string): void {
  mkdirSync(join(directory, "data"));
  using metrics = new MetricsCollector(join(directory, "data", "metrics.db"));
  metrics.recordInteraction("alice", 3, true, 120.5);
  metrics.recordInteraction("alice", 4, false, 80);
  metrics.recordInteraction("bob", 1, true, 10);
}

let archive: string | undefined;

afterAll(() => {
  if (archive !== undefined) rmSync(dirname(archive), { recursive: true, force: true });
});

/** Made once for all examples. */
function makeArchive(): string {
  const place = temporaryFolder();
  layOutStates("documented", join(place, "state"));
  const program = fileURLToPath(new URL("../../packages/migrator/src/cli.ts", import.meta.url));
  spawnSync(process.execPath, ["--conditions=@perdura/source", "--no-warnings", program, "up", "-q", place]);
  return join(place, "state.v15.sqlar");
}
