/** Runs an npm registry on this machine until Ctrl-C, for rehearsals of a release: see RELEASING.md. */
import { once } from "node:events";
import { startNpmRegistry } from "../../test/servers/src/npm/registry.ts";

const registry = await startNpmRegistry();
console.log(`${registry.url}
This registry has no package of perdura, and forwards to yours for all others. Ctrl-C ends it, and removes what was published to it.`);
// Waiting for a signal does not keep a process alive.
const open = setInterval(() => undefined, 0x7fff_ffff);
await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
clearInterval(open);
await registry.stop();
