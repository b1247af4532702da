/** SQL for the stored text of metadata; another program may have stored it as a blob. */
export const metadataText = (metadata: string): string => `CAST(${metadata} AS TEXT)`;

/** SQL for the metadata of a row, null if another program stored text that is not JSON. */
export const readableMetadata = (metadata: string): string =>
  `CASE WHEN json_valid(${metadataText(metadata)}) THEN ${metadataText(metadata)} END`;

/** The path of a key of an object, for SQLite's JSON functions. */
export const pathOf = (key: string): string => `$.${JSON.stringify(key)}`;
