/**
 * Writes a software bill of materials (CycloneDX, JSON) for each published package: `pnpm run sbom [FOLDER]`, into `sbom`
 * without one.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { billOf } from "./bills/bill.ts";
import { PUBLISHED, versionOf } from "./release/published.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = resolve(process.argv[2] ?? "sbom");
mkdirSync(folder, { recursive: true });
for (const published of PUBLISHED) {
  const bill = await billOf(root, published);
  const file = join(
    folder,
    `${published.name.replace("@", "").replace("/", "-")}-${versionOf(root, published)}.cdx.json`,
  );
  writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
  console.log(`${file}: ${bill.components.length} packages`);
}
