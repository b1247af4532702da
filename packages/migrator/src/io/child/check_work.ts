import { faultsOf } from "@perdura/internals/sqlite/faults.js";
import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { useSmallCache } from "../small_cache.ts";
import { answerRequests, type CheckRequest } from "./requests.ts";

/** Entry point of the child process in which SQLite checks a whole database; it opens files through SQLite only. */

function check({ path, intent, busyTimeoutMs, faults }: CheckRequest): string[] {
  const database = openDatabase(path, { intent, busyTimeoutMs });
  try {
    database.pragma("query_only = ON");
    useSmallCache(database);
    return faultsOf(database, faults);
  } finally {
    database.close();
  }
}

answerRequests(check);
