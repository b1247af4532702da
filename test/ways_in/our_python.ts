import { delimiter, dirname } from "node:path";
import { PYTHON } from "../python.ts";
import { OUR_NODE_FIRST } from "./our_node.ts";

/** A PATH on which `python3` is the interpreter itself, and not the script of a version manager. */
export const OUR_PYTHON_FIRST: string = pathTo(PYTHON && dirname(PYTHON.program));

function pathTo(folder: string | undefined): string {
  const [node, ...others] = OUR_NODE_FIRST.split(delimiter);
  // A folder of the system would also bring other programs to the front.
  if (folder === undefined || others.includes(folder)) return OUR_NODE_FIRST;
  return [node, folder, ...others].join(delimiter);
}
