import Driver from "better-sqlite3";

/** Takes the place of the module of the same name in `internals`, which leaves the driver to Node.js. */
export function loadDriver(): typeof Driver {
  return Driver;
}
