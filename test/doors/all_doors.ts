import { serverOfRun } from "../servers/src/postgres/for_tests.ts";
import { copyDoors } from "./copy_doors.ts";
import { DOORS, type Door } from "./doors.ts";

const server = serverOfRun();

/** Every door to a file; the copies only in a run that has a PostgreSQL server. */
export const ALL_DOORS: readonly Door[] = server === undefined ? DOORS : [...DOORS, ...copyDoors(server)];
