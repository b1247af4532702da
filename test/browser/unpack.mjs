// Unpacks the Chromium of the npm package into the directory for temporary files.
import { join } from "node:path";
import { createRequire } from "node:module";
import chromium, { inflate } from "@sparticuz/chromium";

await chromium.executablePath();
await inflate(join(createRequire(import.meta.url).resolve("@sparticuz/chromium"), "..", "..", "bin", "al2023.tar.br"));
