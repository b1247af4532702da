import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { RULED } from "../adapters/rulings.ts";
import { type CallStep, forBothLines } from "../src/corpus/case.ts";
import { loadCases, loadSharedData, shippedCorpus, walkCaseFiles } from "../src/corpus/load_cases.ts";
import { loadRequirements } from "../src/corpus/requirements.ts";
import { packageRoot } from "../src/package_root.ts";
import { LANGUAGE_DEPENDENT, CAPABILITIES, DECLARABLE, OPERATIONS } from "../src/protocol/operations.ts";
import { inRange } from "../src/corpus/version_range.ts";

const requirements = loadRequirements();
const cases = loadCases(shippedCorpus(), requirements);
const readJson = (...path: string[]) => JSON.parse(readFileSync(join(packageRoot(), ...path), "utf8"));

describe("requirements", () => {
  it("keep the ids of the lock file", () => {
    const locked = readJson("requirements.lock.json").ids as string[];
    expect([...requirements.keys()].toSorted(), "run pnpm generate after a requirement is added").toEqual(locked);
  });

  it("are each checked by a case or have a reason why not", () => {
    const cited = new Set(cases.flatMap((loaded) => loaded.case.requirements));
    for (const row of requirements.values())
      expect([row.id, cited.has(row.id)]).toEqual([row.id, row.unchecked === undefined]);
  });

  it("include exactly the rulings that our lines declare", () => {
    const open = [...requirements.keys()].filter((id) => id.startsWith("U-"));
    expect(Object.keys(RULED).toSorted()).toEqual(open.toSorted());
  });

  it("have a case in each line that they apply to", () => {
    for (const row of requirements.values()) {
      for (const version of ["15.0.0", "16.0.0"].filter(
        (candidate) => row.unchecked === undefined && inRange(candidate, row.versions),
      )) {
        const checking = cases.filter((loaded) => {
          const ranges = [loaded.case.versions ?? "*", ...loaded.requirements.map((cited) => cited.versions)];
          return loaded.case.requirements.includes(row.id) && ranges.every((range) => inRange(version, range));
        });
        expect(checking.length, `${row.id} in ${version}`).toBeGreaterThan(0);
      }
    }
  });
});

describe("schemas", () => {
  const folder = join(packageRoot(), "schemas");
  const product = join(packageRoot(), "..", "..", "schemas");
  const files = [folder, product].flatMap((place) =>
    readdirSync(place, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".schema.json"))
      .map((name) => join(place, name)),
  );

  // A run does not check them.
  it.each(files)("are correct: %s", async (file) => {
    const ajv = new Ajv2020();
    await ajv.validateSchema(JSON.parse(readFileSync(file, "utf8")) as object);
    expect(ajv.errors ?? []).toEqual([]);
  });
});

describe("cases", () => {
  it("are all loaded", () => {
    expect(cases.map((loaded) => loaded.case.id)).toEqual(walkCaseFiles(shippedCorpus().cases));
    // The READMEs state this number.
    expect(cases.length).toBeGreaterThan(600);
  });

  it("use only existing data, and all of it", () => {
    const shared = Object.keys(loadSharedData(shippedCorpus()));
    const used = new Set<string>();
    for (const { case: tested } of cases) {
      for (const [, name = ""] of JSON.stringify(tested).matchAll(/"\$data":"([^"]+)"/g)) {
        used.add(name);
        expect([...shared, ...Object.keys(tested.data ?? {})], tested.id).toContain(name);
      }
    }
    expect(shared.filter((name) => !used.has(name))).toEqual([]);
  });

  it("use every operation of the protocol", () => {
    const called = new Set(
      cases.flatMap((loaded) => loaded.case.steps.flatMap((step) => ("call" in step ? [step.call] : []))),
    );
    expect(
      Object.values(OPERATIONS)
        .flat()
        .filter((operation) => !called.has(operation)),
    ).toEqual([]);
  });

  it("state what is the same for both lines once", () => {
    const record = { user_id: "alice", level: 3, success: true, response_time_ms: 10 };
    expect(forBothLines({ record, handle: "metrics", times: 2 })).toEqual([
      {
        versions: "<16.0.0-0",
        call: "record_metric",
        handle: "metrics",
        times: 2,
        args: { user_id: "alice", empathy_level: 3, success: true, response_time_ms: 10 },
      },
      { versions: ">=16.0.0-0", call: "record_interaction", handle: "metrics", times: 2, args: record },
    ]);
    const twice = cases.filter(({ case: { id } }) => {
      const written = readJson("cases", `${id}.json`).steps as (CallStep & { versions?: string })[];
      return written.some((step, index) => {
        const { versions: _, call, args = {}, ...more } = step;
        const earlier = written[index - 1];
        if (call !== "record_interaction" || earlier === undefined) return false;
        return isDeepStrictEqual(forBothLines({ record: args as never, ...more }), [earlier, step]);
      });
    });
    expect(twice.map(({ case: { id } }) => id)).toEqual([]);
  });

  it("use the same capabilities as the protocol", () => {
    expect(
      readJson("schemas", "protocol.schema.json").$defs.answer_to_hello.properties.capabilities.items.enum.toSorted(),
    ).toEqual([...DECLARABLE].toSorted());
    expect(
      Object.keys(
        readJson("schemas", "protocol.schema.json").$defs.answer_to_hello.properties.inapplicable.properties as object,
      ),
    ).toEqual(LANGUAGE_DEPENDENT);
    expect(readJson("schemas", "case.schema.json").properties.capabilities.items.enum.toSorted()).toEqual(
      [...CAPABILITIES].toSorted(),
    );
  });
});
