import { judgeLine } from "./judge_line.ts";

// A file for each line: they run side by side.
judgeLine("perdura-16", "16");
