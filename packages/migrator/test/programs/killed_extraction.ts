import { extractArchivedStates } from "../../src/index.ts";

/** `killed_extraction.ts ARCHIVE DIR` extracts an archive, and kills itself at the first progress event. */
const [archive = "", directory = ""] = process.argv.slice(2);

await extractArchivedStates(archive, directory, { onProgress: () => process.kill(process.pid, "SIGKILL") });
