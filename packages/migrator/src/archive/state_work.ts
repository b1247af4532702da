import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { Compared, compareEntries } from "./read/compare_entries.ts";
import { type ComparedPart, type HelperRequest, type WrittenPart, serializableStop } from "./helper_parts.ts";
import { listedIn } from "./tree/listing.ts";
import { openArchive } from "./format/open_archive.ts";
import { writeHalf } from "./write/write_archive.ts";
import { answerRequests, type OnBytes } from "../io/child/requests.ts";

/** Entry point of the child process that does half of the work on a state directory; the parent does the other half. */

function perform(request: HelperRequest, onDone: OnBytes): WrittenPart | ComparedPart {
  try {
    return request.work === "write" ? write(request, onDone) : compare(request, onDone);
  } catch (error) {
    throw serializableStop(error);
  }
}

function write({ root, listing, archive }: HelperRequest & { work: "write" }, onDone: OnBytes): WrittenPart {
  const names = openDatabase(listing, { access: "read" });
  try {
    return writeHalf(archive, root, listedIn(names), (done) => onDone(done, 0)).counts;
  } finally {
    names.close();
  }
}

function compare({ archive, root, from }: HelperRequest & { work: "compare" }, onDone: OnBytes): ComparedPart {
  const database = openArchive(archive);
  try {
    const compared = new Compared();
    for (const done of compareEntries(database, root, () => false, {}, { from }, compared)) onDone(done, 0);
    const { named, count } = compared.differences;
    return { found: compared.found, differences: [...named], more: count - named.length };
  } finally {
    database.close();
  }
}

answerRequests(perform);
