import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

const compiled = new Map<string, ValidateFunction>();

/** Violations of the schema by a report; empty for a valid one. */
export function schemaErrors(report: unknown): string[] {
  return schemaErrorsOf("report", report);
}

/** The same for a value that another schema of the package describes. */
export function schemaErrorsOf(
  name: "report" | "maintenance-report" | "copy-report" | "servers-report" | "progress" | "states",
  value: unknown,
): string[] {
  const validate = compiled.get(name) ?? compile(name);
  compiled.set(name, validate);
  validate(JSON.parse(JSON.stringify(value)));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function compile(name: string): ValidateFunction {
  const text = readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), "utf8");
  return new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true }).compile(JSON.parse(text) as object);
}
