/** A table; `sql_name` is its name in statements. */
export interface TableRow {
  oid: number;
  name: string;
  sql_name: string;
}

/** Something that belongs to a table. */
interface OfTable {
  /** The `oid` of the table. */
  table: number;
}

export interface ColumnRow extends OfTable {
  name: string;
  type: string;
  nullable: boolean;
  identity: boolean;
  expression: string | null;
}

export interface ConstraintRow extends OfTable {
  /** `p` primary key, `u` unique, `f` foreign key. */
  kind: "p" | "u" | "f";
  columns: string[];
  parent: string | null;
  references: string[] | null;
  /** `c` cascade, `n` set null; other values prevent the deletion of the row. */
  on_delete: string;
}

export interface IndexRow extends OfTable {
  name: string;
  columns: (string | null)[];
  unique: boolean;
  partial: boolean;
}

/** Tables of a schema, without the partitions of partitioned tables. */
export const TABLES = `SELECT c.oid, relname::text AS name, c.oid::regclass::text AS sql_name
  FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace
  WHERE nspname = $1 AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname`;

/** Columns of the tables with these numbers. */
export const COLUMNS = `SELECT attrelid AS "table", attname::text AS name, format_type(atttypid, NULL) AS type, NOT attnotnull AS nullable,
    attidentity <> '' AS identity, pg_get_expr(adbin, adrelid) AS expression
  FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
  WHERE attrelid = ANY($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`;

/** Names of columns by their numbers, in the order of the numbers. */
const names = (table: string, numbers: string): string =>
  `(SELECT array_agg(attname::text ORDER BY place) FROM unnest(${numbers}) WITH ORDINALITY AS key (number, place)
    JOIN pg_attribute ON attrelid = ${table} AND attnum = key.number)`;

export const CONSTRAINTS: string = `SELECT conrelid AS "table", contype::text AS kind, ${names("conrelid", "conkey")} AS columns,
    (SELECT relname::text FROM pg_class WHERE oid = confrelid) AS parent, ${names("confrelid", "confkey")} AS "references",
    confdeltype::text AS on_delete
  FROM pg_constraint WHERE conrelid = ANY($1) AND contype IN ('p', 'u', 'f') ORDER BY conname`;

/** Indexes with their key columns; included columns are left out. */
export const INDEXES = `SELECT indrelid AS "table", relname::text AS name, indisunique AS "unique", indpred IS NOT NULL AS partial,
    (SELECT array_agg(attname::text ORDER BY place) FROM generate_series(0, indnkeyatts - 1) AS place
      LEFT JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[place] AND indkey[place] <> 0) AS columns
  FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
  WHERE indrelid = ANY($1) AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u', 'x'))
  ORDER BY relname`;
