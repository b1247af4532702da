export { freshFolder } from "../../../../test/fresh_folder.ts";
export { stampOf } from "../../../../test/tree_stamp.ts";
