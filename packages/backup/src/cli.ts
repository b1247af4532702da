import { start } from "@perdura/cli/start.js";

await start("perdura-backup", "Nothing was changed.", async () => (await import("./cli/main.ts")).main);
