import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { examplesOfPage, examplesOfSources } from "../../../test/repository/run_example.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { packageRoot } from "../src/package_root.ts";
import { runVitestProject, type TestOutcome } from "./vitest_project.ts";

// Inside the package, so that the project of an implementer resolves vitest and the suite as after an installation.
const folder = () => freshFolder(join(packageRoot(), "test"));

const page = examplesOfPage("packages/conformance/README.md");
const v16 = JSON.stringify(join(packageRoot(), "adapters/v16.ts"));
const command = JSON.stringify(`"${process.execPath}" test/faulty_adapter.mjs`);

/** A test file of an implementer. */
const judging = (options: string) => `import { commandAdapter, implementationAdapter } from "@perdura/conformance";
import { conformance } from "@perdura/conformance/vitest";

conformance(${options});
`;

const withStatus = (tests: readonly TestOutcome[] | undefined, wanted: string) =>
  (tests ?? []).filter(({ status }) => status === wanted);

describe("a project with an adapter that conforms", () => {
  const { code, tests } = runVitestProject(folder(), {
    // All cases would take long, and are checked elsewhere.
    "page.test.ts": page[0]?.code.replace('line: "16" }', 'line: "16", areas: ["export"] }') ?? "",
    "my_adapter.ts": `import { createAdapter } from ${v16};
export class MyAdapter {
  readonly #adapter = createAdapter();
  handle(request) { return this.#adapter.handle(request); }
}
`,
    "area.test.ts": judging(`{ adapter: implementationAdapter("perdura-16"), areas: ["versioning"] }`),
  });

  it("passes", () => {
    expect(code).toBe(0);
  });

  it("runs the example of the page and of the docstring", () => {
    const inSources = examplesOfSources("packages/conformance/src").find(({ place }) => place.includes("/vitest.ts"));
    expect(page.map((example) => example.code)).toEqual([inSources?.code]);
    expect(page[0]?.code).toContain('line: "16" }');
    expect(withStatus(tests["page.test.ts"], "failed")).toEqual([]);
    expect(withStatus(tests["page.test.ts"], "passed").length).toBeGreaterThan(10);
  });

  it("makes a test of every case, and skips inapplicable ones with a reason", () => {
    const statusOf = (id: string) => tests["area.test.ts"]?.find(({ title }) => title.startsWith(`${id}: `))?.status;
    expect(statusOf("versioning/facade-removed")).toBe("passed");
    expect(statusOf("versioning/facade")).toBe("skipped");
    expect(statusOf("patterns-json/file-layout")).toBeUndefined();
  });
});

describe("a project with an adapter that does not conform", () => {
  const { code, tests } = runVitestProject(folder(), {
    "some.test.ts": judging(
      `{ adapter: commandAdapter(${command}), cases: ["patterns-json/load-not-a-library", "patterns-json/all-keys-written", "metrics/columns", "patterns-json/pattern-count"] }`,
    ),
    "none.test.ts": judging(`{ adapter: commandAdapter(${command}), cases: ["state/delete"] }`),
  });

  it("fails", () => {
    expect(code).toBe(1);
  });

  it("reports the requirement, the expected and the actual value", () => {
    const failed = withStatus(tests["some.test.ts"], "failed");
    expect(failed.map(({ title }) => title.split(":")[0])).toContain("metrics/columns");
    expect(failed.flatMap(({ failureMessages }) => failureMessages).join()).toMatch(
      /requirement: R-2\.5\/columns, section 2\.5, must: /,
    );
  });

  it("reports an empty selection", () => {
    const failed = withStatus(tests["none.test.ts"], "failed");
    expect(failed[0]?.failureMessages.join()).toContain("no judgement");
  });
});
