import { delimiter, dirname } from "node:path";

/** Where programs are looked for, with the Node.js that runs these tests before any other of the machine. */
export const OUR_NODE_FIRST: string = [dirname(process.execPath), process.env["PATH"]].join(delimiter);
