/** Answer of an operation. */
export interface Answer {
  status: number;
  headers: Record<string, string | number>;
  /** Text, or pieces of files that are sent one after the other. */
  body?: string | readonly FileRange[];
}

/** Bytes of a file. */
export interface FileRange {
  file: string;
  start: number;
  length: number;
}

export function xmlAnswer(text: string): Answer {
  return { status: 200, headers: { "content-type": "application/xml" }, body: text };
}
