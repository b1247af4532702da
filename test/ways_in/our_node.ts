import { delimiter, dirname } from "node:path";

/** Our PATH, with the Node.js of these tests before any other one. */
export const OUR_NODE_FIRST: string = [dirname(process.execPath), process.env["PATH"]].join(delimiter);
