import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { buildSite } from "./build_site.ts";
import { pagesOf } from "./links.ts";
import { inRepository } from "./repository.ts";

const place = resolve(process.argv[2] ?? inRepository("dev/site/dist"));
try {
  const external = await buildSite(place);
  console.log(`${pagesOf(place).length} pages: ${pathToFileURL(`${place}/index.html`).href}`);
  console.log(`External links, which were not checked:${["", ...external].join("\n  ")}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
