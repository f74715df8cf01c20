/** Session files of other agents, and plain JSON lines of the wire protocols. */
export { detectFormat } from "./detect.ts";
export { LOG_FORMATS, SPEAKS, WIRE_FORMATS } from "./log.ts";
export type { History, InputFormat, LogFormat, LogNote, LogNoteCode, ReadLog, ReadOptions, WireFormat } from "./log.ts";
export { readLog } from "./read.ts";
export { joinWireLines, type JoinedLines } from "./wire-lines.ts";
