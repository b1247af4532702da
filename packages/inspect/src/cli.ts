import { start } from "@perdura/cli/start.js";

await start("perdura-inspect", "", async () => (await import("./cli/main.ts")).main);
