/** Writes THIRD_PARTY.md; with `--check` it only reports whether the page is up to date. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { major } from "semver";
import { bundleProgram, EXECUTABLE_NAMES } from "../executables/bundle_program.ts";
import { namedLicense } from "../executables/licenses.ts";
import { billOf, type Component } from "./bills/bill.ts";
import { PUBLISHED } from "./release/published.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = new URL("../../THIRD_PARTY.md", import.meta.url);

const rows = await Promise.all(
  PUBLISHED.map(async (published) => {
    const { metadata, components } = await billOf(root, published);
    const line = published.name === "perdura" ? ` ${major(metadata.component.version)}` : "";
    return `| \`${published.name}\`${line} | nothing | ${components.map(described).toSorted().join(", ") || "nothing"} |`;
  }),
);
const executables = await Promise.all(
  EXECUTABLE_NAMES.map(async (name) => {
    const { packages } = await bundleProgram(name);
    return `| \`${name}\` | ${packages.map(namedLicense).toSorted().join(", ")} |`;
  }),
);
const text = `# Third-party code

The published packages contain only perdura's own code (MIT): the build fails if a bundle would contain any other. npm installs
the packages in the last column. Optional peers, such as the SDKs of clouds, come with their own licences when you install
them. \`pnpm run sbom\` writes a software bill of materials with versions and checksums for each package.

| package | bundled code | installed with it (licence) |
| --- | --- | --- |
${rows.join("\n")}

better-sqlite3 carries [SQLite](https://sqlite.org/copyright.html), which is in the public domain.

## Executables

The executables of a release contain Node.js, SQLite, perdura, and these packages. Each prints the licences of all of them with
\`--licenses\`, and its archive has them as \`LICENSES.txt\`.

| executable | packages inside (licence) |
| --- | --- |
${executables.join("\n")}

This page is written by \`node dev/tools/third_party.ts\`.
`;

if (!process.argv.includes("--check")) writeFileSync(page, text);
else if (plain(readFileSync(page, "utf8")) !== plain(text)) {
  console.error("THIRD_PARTY.md does not match the lockfile: run `node dev/tools/third_party.ts`, then `pnpm format`.");
  process.exitCode = 1;
}

function described({ group, name, licenses = [] }: Component): string {
  const named = licenses.map(({ license }) => license.id ?? license.name ?? "unknown").join(" and ");
  return `${group === undefined ? "" : `${group}/`}${name} (${named || "unknown"})`;
}

/** Removes differences in spacing, which the formatter chooses. */
function plain(markdown: string): string {
  return markdown.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---");
}
