import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { Catalog } from "../../recognise/catalog.ts";
import { Stop } from "../../core/stop.ts";
import { assertStillUsable, type WorkingUses, workingUses } from "../own_objects.ts";
import { changeSchemaText, type TextChange } from "../schema_text.ts";
import type { Step } from "../step.ts";
import { mentions } from "./tokens.ts";
import { findUnparsable, type Unparsable } from "./unparsable.ts";

/** What makes a change possible that ALTER TABLE would refuse because of objects that it cannot parse. */
export interface SetAside {
  /** Before everything else. */
  first: Step[];
  /** After everything that changes a table. */
  last: Step[];
  notes: string[];
}

/** Names that a change takes away. */
export interface GoingNames {
  /** Of a table or a column that is renamed. */
  renamed: readonly string[];
  /** Of a column that is dropped. */
  dropped: readonly string[];
}

/**
 * Objects that ALTER TABLE cannot parse have other texts while a table changes. Afterwards each has its own again, word
 * by word; or, where it names what is renamed, the new names, and its text literals in single quotes.
 *
 * @throws Stop naming an object that does not work as it is and mentions what is renamed: it could not be brought along.
 */
export function setAside(catalog: Catalog, going: GoingNames): SetAside {
  const found = findUnparsable(catalog);
  if (found.length === 0) return { first: [], last: [], notes: [] };
  const touched = found.filter(({ sql, repaired }) =>
    mentions(sql, repaired ? [...going.renamed, ...going.dropped] : going.renamed),
  );
  const lost = touched.find(({ repaired }) => !repaired);
  if (lost !== undefined) throw cannotFollow(lost, going);
  const untouched = found.filter((object) => !touched.includes(object));
  let working: WorkingUses = new Map();
  const texts = (objects: readonly Unparsable[], from: "sql" | "stand", to: "sql" | "stand"): TextChange[] =>
    objects.map((object) => ({ type: object.type, name: object.name, from: object[from], to: object[to] }));
  return {
    first: [
      ...(touched.length === 0
        ? []
        : [
            {
              title: `write text in single quotes that stands in double quotes in ${listed(touched)}`,
              run: (database: Database) => {
                changeSchemaText(database, texts(touched, "sql", "stand"));
                // Before, they worked in other builds of SQLite only.
                working = workingUses(database);
              },
            },
          ]),
      ...(untouched.length === 0
        ? []
        : [
            {
              title: `set ${listed(untouched)} aside, which ALTER TABLE cannot parse`,
              run: (database: Database) => changeSchemaText(database, texts(untouched, "sql", "stand")),
            },
          ]),
    ],
    last: [
      ...(touched.length === 0
        ? []
        : [
            {
              title: `check that ${listed(touched)} can be used`,
              run: (database: Database) => assertStillUsable(database, working),
            },
          ]),
      ...(untouched.length === 0
        ? []
        : [
            {
              title: `put ${listed(untouched)} back, word by word`,
              run: (database: Database) => changeSchemaText(database, texts(untouched, "stand", "sql")),
            },
          ]),
    ],
    notes: [
      ...touched.map(
        ({ type, name }) =>
          `changed in the ${type} ${name}: text that stands in double quotes is written in single quotes, which every SQLite takes for text`,
      ),
      ...untouched
        .filter(({ repaired }) => !repaired)
        .map(({ type, name, fault }) => `the ${type} ${name} does not work (${fault}); it stays as it is`),
    ],
  };
}

function listed(objects: readonly Unparsable[]): string {
  return objects.map(({ type, name }) => `the ${type} ${name}`).join(" and ");
}

function cannotFollow({ type, name, sql, fault }: Unparsable, { renamed }: GoingNames): Stop {
  const word = renamed.find((one) => mentions(sql, [one]));
  return new Stop(
    "refused",
    `The ${type} ${name} does not work as it is (${fault}), so that SQLite cannot bring it along when ${word} gets another name. Nothing was changed. Correct the ${type} first, or drop it: it holds no data.`,
  );
}
