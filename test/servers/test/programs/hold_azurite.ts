/** Starts Azurite, prints its process id, and holds it until this process is killed. */
import { writeSync } from "node:fs";
import { startAzurite } from "../../src/azurite/azurite.ts";

const azurite = await startAzurite();
writeSync(1, `${azurite.pid}\n`);
setInterval(() => {}, 1 << 30);
