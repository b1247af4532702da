import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

const compiled = new Map<string, ValidateFunction>();

/** Violations of a schema of the package by a value; empty for a valid one. */
export function schemaErrors(name: "result" | "progress", value: unknown): string[] {
  const validate = compiled.get(name) ?? compile(name);
  compiled.set(name, validate);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function compile(name: string): ValidateFunction {
  const text = readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), "utf8");
  return new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true }).compile(JSON.parse(text) as object);
}
