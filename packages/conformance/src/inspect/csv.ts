/** A CSV file by RFC 4180, as far as it could be read. */
export interface CsvReading {
  records: string[][];
  /** What keeps other programs from reading it alike, each in one sentence. */
  problems: string[];
}

/** A field: in quotes, with doubled ones inside; or bare. */
const QUOTED = /"([^"]*(?:""[^"]*)*)"/y;
const BARE = /[^",\r\n]*/y;

/**
 * Reads CSV as RFC 4180 has it: commas, CRLF line ends of which the last may be missing, quotes around fields that
 * hold a comma, a quote or a line end.
 * @example readCsv('a,b\r\n1,"x ""y"""\r\n').records // [["a", "b"], ["1", 'x "y"']]
 */
export function readCsv(text: string): CsvReading {
  const records: string[][] = [];
  let record: string[] = [];
  let position = 0;
  const stop = (problem: string): CsvReading => ({ records, problems: [`record ${records.length + 1}: ${problem}`] });
  const take = (field: RegExp): RegExpExecArray | null => {
    field.lastIndex = position;
    const found = field.exec(text);
    if (found) position = field.lastIndex;
    return found;
  };
  while (position < text.length) {
    if (text[position] === '"') {
      const quoted = take(QUOTED);
      if (!quoted) return stop("a quoted field is not closed");
      record.push((quoted[1] as string).replaceAll('""', '"'));
    } else {
      record.push((take(BARE) as RegExpExecArray)[0]);
    }
    if (text[position] === ",") {
      position += 1;
      // A comma at the very end still begins a field.
      if (position === text.length) record.push("");
      else continue;
    }
    if (position < text.length && !text.startsWith("\r\n", position))
      return stop(`${strayPart(text, position)} in field ${record.length}`);
    position += 2;
    records.push(record);
    record = [];
  }
  return { records, problems: [] };
}

function strayPart(text: string, position: number): string {
  if (text[position] === "\n" || text[position] === "\r") return "a line end other than CRLF";
  return text[position] === '"' ? "a stray quote" : "text after a quoted field";
}
