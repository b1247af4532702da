import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { packageRoot } from "../../../packages/conformance/src/package_root.ts";
import { MUTANTS } from "../src/mutants/all.ts";
import { TOLERANCES } from "../src/tolerances.ts";

const readJson = (...path: string[]) => JSON.parse(readFileSync(join(packageRoot(), ...path), "utf8")) as object;

test("the data in the package have the described form, and every mutant and habit", () => {
  const data = readJson("selftest.json") as { cases: Record<string, object[]>; tolerant_implementations: object };
  const validate = new Ajv2020().compile(readJson("schemas", "selftest.schema.json"));
  expect(validate(data), JSON.stringify(validate.errors)).toBe(true);
  expect(Object.values(data.cases).flat()).toHaveLength(MUTANTS.length);
  expect(Object.keys(data.tolerant_implementations)).toHaveLength(TOLERANCES.length);
});
