import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { expect } from "vitest";

let validate: ValidateFunction | undefined;

/** Violations of the schema of the package by a document; empty for a valid one. */
export function schemaErrors(document: unknown): string[] {
  const text = readFileSync(new URL("../schemas/result.schema.json", import.meta.url), "utf8");
  validate ??= new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true }).compile(
    JSON.parse(text) as object,
  );
  validate(document);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** Parses what --json printed, which matches the schema of the package. */
export function json({ stdout }: { stdout: string }): Record<string, unknown> {
  const document = JSON.parse(stdout) as Record<string, unknown>;
  expect(schemaErrors(document)).toEqual([]);
  return document;
}
