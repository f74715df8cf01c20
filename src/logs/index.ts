/** Session files of other agents, and plain JSON lines of the wire protocols. */
export { convertLog, type Converted } from "./convert.ts";
export { detectFormat } from "./detect.ts";
export { unknownFormat } from "./document.ts";
export { FORMATS } from "./formats.ts";
export { LOG_FORMATS, WIRE_FORMATS } from "./log.ts";
export type { InputFormat, LogFormat, LogNote, LogNoteCode, ReadLog, ReadOptions } from "./log.ts";
export { readLog } from "./read.ts";
export { withKeptMark } from "./claude-code/branch.ts";
export { wireText } from "./detect.ts";
