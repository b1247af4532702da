import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { contentFaults } from "../../dev/tools/release/check_content.ts";
import { freshFolder } from "../fresh_folder.ts";

const MANIFEST = { name: "perdura", version: "16.0.0", dependencies: { "better-sqlite3": "^13.0.0" } };
const FILES: Record<string, string> = {
  LICENSE: "",
  "README.md": "",
  "CHANGELOG.md": "",
  "UPGRADING.md": "",
  "dist/index.js": `import { a } from "./a.js";\nimport Database from "better-sqlite3";\nconst fs = await import("node:fs");\n`,
  "dist/index.d.ts": `export { a } from "./a.js";\n`,
  "dist/index.d.ts.map": `{ "sources": ["sources/v16/index.ts"] }`,
  "dist/sources/v16/index.ts": `import { b } from "@perdura/internals/b.js";\n`,
};

/** Faults of a tarball of the 16+ line with these files; undefined omits a file. */
function faults(manifest: object, files: Record<string, string | undefined> = {}, bytes = 1000): string[] {
  const unpacked = freshFolder();
  const all = { ...FILES, "package.json": JSON.stringify({ ...MANIFEST, ...manifest }), ...files };
  for (const [file, text] of Object.entries(all)) {
    if (text === undefined) continue;
    mkdirSync(join(unpacked, dirname(file)), { recursive: true });
    writeFileSync(join(unpacked, file), text);
  }
  const place = { folder: "v16", name: "perdura", tag: "latest", most: 150_000 } as const;
  return contentFaults({ ...place, version: "16.0.0", tarball: "", integrity: "", unpacked, bytes });
}

test("accepts a correct tarball", () => {
  expect(faults({})).toEqual([]);
});

test.for([
  ["a wrong name", { name: "@perdura/v16" }, {}, "is published as @perdura/v16 16.0.0, not as perdura 16.0.0"],
  ["a wrong version", { version: "16.0.1" }, {}, "is published as perdura 16.0.1, not as perdura 16.0.0"],
  ["a missing licence", {}, { LICENSE: undefined }, "the tarball has no LICENSE"],
  ["a missing UPGRADING.md", {}, { "UPGRADING.md": undefined }, "the tarball has no UPGRADING.md"],
  ["a source file", {}, { "src/index.ts": "" }, `the tarball holds ${join("src", "index.ts")}`],
  [
    "the condition @perdura/source",
    { exports: { "@perdura/source": "./src" } },
    {},
    "the published package.json still contains @perdura/source",
  ],
  ["a peer dependency that npm installs", { peerDependencies: { pg: "8" } }, {}, "installs pg, which must be optional"],
  ["an optional dependency", { optionalDependencies: { x: "1" } }, {}, "installs x, which must be optional"],
  [
    "an unexpected dependency",
    { dependencies: { ...MANIFEST.dependencies, ajv: "8" } },
    {},
    "depends on better-sqlite3, ajv, expected only better-sqlite3",
  ],
  [
    "internals that were not bundled",
    {},
    { "dist/index.js": `import { b } from "@perdura/internals/b.js";\n` },
    `${join("dist", "index.js")} imports @perdura/internals/b.js, which the package does not declare`,
  ],
  [
    "a dynamic import of an undeclared package",
    {},
    { "dist/index.js": `const ask = () => import("left-pad");\n` },
    `${join("dist", "index.js")} imports left-pad, which the package does not declare`,
  ],
  [
    "a module of Node.js without node:",
    {},
    { "dist/index.js": `export * from "fs/promises";\n` },
    `${join("dist", "index.js")} imports fs/promises without node:`,
  ],
  [
    "types of internals",
    {},
    { "dist/index.d.ts": `import { C } from "@perdura/internals/c.js";\n` },
    `${join("dist", "index.d.ts")} imports @perdura/internals/c.js, which the package does not declare`,
  ],
  ["types without a source map", {}, { "dist/index.d.ts.map": undefined }, "no declaration has a source map"],
  [
    "a source map without its source",
    {},
    { "dist/sources/v16/index.ts": undefined },
    `${join("dist", "index.d.ts.map")} names sources/v16/index.ts, which the tarball does not have`,
  ],
  [
    "types of the driver",
    {},
    { "dist/index.d.ts": `import type { Database } from "better-sqlite3";\n` },
    `${join("dist", "index.d.ts")} names the driver's types`,
  ],
] as const)("refuses %s", ([, manifest, files, said]) => {
  expect(faults(manifest, files)).toEqual([`packages/v16: ${said}`]);
});

test("refuses a tarball that is too large", () => {
  expect(faults({}, {}, 150_001)).toEqual(["packages/v16: the tarball has 150001 bytes, more than 150000"]);
});
