import { join } from "node:path";
import { migrate } from "./migrate.ts";
import { freshFolder } from "./folder.ts";
import { connect } from "../../../../test/legacy/legacy_database.ts";
import { makeUnusualStates } from "../../../../test/legacy/unusual_states.ts";

/** A folder with a directory of unusual states and its archive. */
export async function archived(): Promise<{ folder: string; directory: string; archive: string }> {
  const folder = freshFolder();
  const directory = join(folder, "empathy_state");
  makeUnusualStates(directory);
  await migrate(directory);
  return { folder, directory, archive: `${directory}.v15.sqlar` };
}

/** Changes an archive without perdura. */
export function change(archive: string, sql: string): void {
  const database = connect(archive);
  database.exec(sql);
  database.close();
}
