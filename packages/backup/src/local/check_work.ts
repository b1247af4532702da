import { workerData } from "node:worker_threads";
import { checkLibraryJson } from "@perdura/internals/patterns/check_library_json.js";
import type { CheckWork } from "./check_library.ts";
import { checkDatabase } from "./sqlite_copy.ts";

/** Program of the thread: reads a library to its end and fails if it cannot. */

const { path, format } = workerData as CheckWork;
if (format === "sqlite") checkDatabase(path, path);
else checkLibraryJson(path);
