/**
 * Compiles the schemas of perdura's documents into plain code, so that the published packages need no schema library.
 * `pnpm generate` writes it, `pnpm generate --check` reports whether the committed code is up to date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";

const root = new URL("../../", import.meta.url);
const schemas = ["pattern", "pattern_library", "v15/collaboration_state"].map(
  (name) => JSON.parse(readFileSync(new URL(`schemas/${name}.schema.json`, root), "utf8")) as object,
);

const ajv = new Ajv2020({ schemas, allowUnionTypes: true, code: { source: true, esm: true, lines: true } });
const compiled = standalone.default(ajv, {
  validatePatternLibrary: "urn:perdura:schema:pattern-library",
  validateCollaborationState: "urn:perdura:schema:v15:collaboration-state",
});
if (compiled.includes("require(")) {
  throw new Error(
    "A schema uses a keyword whose check ajv imports at run time (minLength, uniqueItems, const …): use another keyword.",
  );
}
const code = `// Made from schemas/ by dev/tools/compile_schemas.ts; change those and run \`pnpm generate\`.\n${compiled}\n`;

const target = fileURLToPath(new URL("packages/internals/src/generated/validators.js", root));
if (!process.argv.includes("--check")) {
  writeFileSync(target, code);
} else if (readFileSync(target, "utf8") !== code) {
  console.error("packages/internals/src/generated/validators.js does not match schemas/: run `pnpm generate`.");
  process.exitCode = 1;
}
