/** SQL for the metadata of a row, null if another program stored text that is not JSON. */
export const readableMetadata = (metadata: string): string => `CASE WHEN json_valid(${metadata}) THEN ${metadata} END`;

/** The path of a key of an object, for SQLite's JSON functions. */
export const pathOf = (key: string): string => `$.${JSON.stringify(key)}`;
