/**
 * A library of Windows (PE32+) with one function, which another library has. Wine 8 lacks
 * `bcryptprimitives.dll`, and programs written in Rust, which vitest needs, do not start without it.
 *
 * @param name File name of the library.
 * @param exported Name of the function.
 * @param target Library and function to call instead, as `advapi32.SystemFunction036`.
 */
export function forwardingLibrary(name: string, exported: string, target: string): Buffer {
  const file = Buffer.alloc(2 * FILE_ALIGNMENT);
  file.write("MZ");
  file.writeUInt32LE(PE_HEADER, 0x3c);
  file.write("PE\0\0", PE_HEADER);
  const coff = PE_HEADER + 4;
  file.writeUInt16LE(0x8664, coff); // x64
  file.writeUInt16LE(1, coff + 2); // sections
  file.writeUInt16LE(OPTIONAL_HEADER_SIZE, coff + 16);
  file.writeUInt16LE(0x2022, coff + 18); // executable, large addresses, library
  const optional = coff + 20;
  file.writeUInt16LE(0x20b, optional); // PE32+
  file.writeBigUInt64LE(0x1_8000_0000n, optional + 24); // image base
  file.writeUInt32LE(PAGE, optional + 32);
  file.writeUInt32LE(FILE_ALIGNMENT, optional + 36);
  for (const version of [40, 48]) file.writeUInt16LE(6, optional + version);
  file.writeUInt32LE(2 * PAGE, optional + 56); // size of the image
  file.writeUInt32LE(FILE_ALIGNMENT, optional + 60); // size of the headers
  file.writeUInt16LE(3, optional + 68); // console
  file.writeUInt16LE(0x100, optional + 70); // compatible with data execution prevention
  for (const size of [72, 80, 88, 96]) file.writeBigUInt64LE(BigInt(PAGE), optional + size); // stack and heap
  file.writeUInt32LE(16, optional + 108); // data directories; the first is that of the exports
  file.writeUInt32LE(PAGE, optional + 112);
  file.writeUInt32LE(FILE_ALIGNMENT, optional + 116);
  writeSection(file, optional + OPTIONAL_HEADER_SIZE);
  writeExports(file.subarray(FILE_ALIGNMENT), name, exported, target);
  return file;
}

const PE_HEADER = 0x40;
const OPTIONAL_HEADER_SIZE = 0xf0;
const FILE_ALIGNMENT = 0x200;
/** Size of a page of memory, and the address of the only section. */
const PAGE = 0x1000;

function writeSection(file: Buffer, header: number): void {
  file.write(".edata", header);
  file.writeUInt32LE(FILE_ALIGNMENT, header + 8); // size in memory
  file.writeUInt32LE(PAGE, header + 12); // address
  file.writeUInt32LE(FILE_ALIGNMENT, header + 16); // size in the file
  file.writeUInt32LE(FILE_ALIGNMENT, header + 20); // offset in the file
  file.writeUInt32LE(0x4000_0040, header + 36); // initialized data, readable
}

/** Writes the export directory, its three tables of one entry, and the texts. */
function writeExports(section: Buffer, name: string, exported: string, target: string): void {
  const [addresses, names, ordinals, texts] = [0x28, 0x2c, 0x30, 0x40];
  let end = texts;
  const addressOf = (text: string): number => {
    const address = PAGE + end;
    end += section.write(`${text}\0`, end);
    return address;
  };
  section.writeUInt32LE(addressOf(name), 12);
  for (const count of [16, 20, 24]) section.writeUInt32LE(1, count); // base, functions, names
  for (const [table, at] of [
    [addresses, 28],
    [names, 32],
    [ordinals, 36],
  ] as const)
    section.writeUInt32LE(PAGE + table, at);
  // An address within the export directory is the text of a function elsewhere.
  section.writeUInt32LE(addressOf(target), addresses);
  section.writeUInt32LE(addressOf(exported), names);
}
