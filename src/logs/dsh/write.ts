/** Writes a session of the DeepSeek Harness: its header, and the events of one turn in which everything was said. */
import { contentText, type ContentPart, type Part } from "../../core/transcript/message.ts";
import type { RecordedCompaction, Session, SessionMessage } from "../log.ts";
import { fillTimes, jsonLines, deriveUuid, type WriteContext } from "../document.ts";
import { checkpointBlocks } from "./blocks.ts";

export function writeDsh(session: Session, { id, nowMs }: WriteContext): string {
  const stamps = fillTimes(session, nowMs);
  const compactions = new Map(session.compactions.map((one) => [one.summary, one]));
  const log = createEvents(session);
  const begin = stamps[0] ?? nowMs;
  log.add(begin, "turn/start", { turn: TURN });
  log.add(begin, "step/start", { turn: TURN, step: STEP });
  for (const [at, one] of session.messages.entries()) {
    const compaction = compactions.get(at);
    const messageId = deriveUuid(id, String(at));
    if (compaction !== undefined)
      log.compact(stamps[at]!, { compaction, messageId, summary: contentText(one.message.parts) });
    else log.say(stamps[at]!, one, { at, messageId });
  }
  const end = stamps.at(-1) ?? nowMs;
  log.add(end, "step/end", { turn: TURN, step: STEP });
  log.add(end, "turn/end", { turn: TURN, reason: { kind: "completed" } });
  const { cwd } = session;
  const header = { type: "session", version: 0, id: `session-${id}`, createdAt: begin, cwd, delegationDepth: 0 };
  return jsonLines([header, ...log.events]);
}

const TURN = 1;
const STEP = 1;
/** Required of every reply. */
const PROVIDER = "precis";

interface Compacting {
  readonly compaction: RecordedCompaction;
  readonly summary: string;
  readonly messageId: string;
}

function createEvents({ model = "unknown" }: Session) {
  const events: object[] = [];
  /** What the model is sent: which message, and the event that it is in; none for a checkpoint. */
  let surface: { readonly at: number | undefined; readonly seq: number }[] = [];
  const add = (time: number, type: string, data: object, more: object = {}): number => {
    events.push({ type, seq: events.length, time, data, ...more });
    return events.length - 1;
  };
  const called = { provider: PROVIDER, model };
  return {
    events,
    add,
    say: (
      time: number,
      one: SessionMessage,
      { at, messageId }: { readonly at: number; readonly messageId: string },
    ): void => {
      const [type, data] = dataFor(one, messageId, called);
      surface.push({ at, seq: add(time, type, data, { surfaceOp: "append" }) });
      for (const part of one.message.parts)
        if (part.kind === "tool-call")
          add(time, "tool/call", { ...PLACE, callId: part.id, name: part.name, arguments: part.arguments });
    },
    compact: (time: number, { compaction, summary, messageId }: Compacting): void => {
      const kept = new Set(compaction.context);
      const firstKept = surface.findIndex(({ at }) => at !== undefined && kept.has(at));
      const shadowed = surface.slice(0, firstKept < 0 ? undefined : firstKept).map(({ seq }) => seq);
      const range = { start: shadowed[0]!, end: shadowed.at(-1)! };
      const compactionId = deriveUuid(messageId, "compaction");
      const begun = add(time, "compaction/start", { compactionId, turn: TURN });
      const content = [{ type: "text", text: summary }];
      const told = add(time, "compaction/summary", {
        compactionId,
        summary: content,
        shadowedRange: range,
        shadowedSeqs: shadowed,
        shadowedTokenCount: 0,
        ...called,
      });
      const source = { kind: "plugin", plugin: "compact", compactionId };
      const message = { content: checkpointBlocks(summary), source, role: "user", id: messageId };
      const seq = add(time, "user/message", message, {
        sourceEventSeqs: [begun, told, ...shadowed],
        surfaceOp: { op: "replace", ...range },
      });
      surface = [{ at: undefined, seq }, ...surface.slice(shadowed.length)];
      add(time, "compaction/end", { compactionId, turn: TURN });
    },
  };
}

const PLACE = { turn: TURN, step: STEP };

function dataFor({ message, injected }: SessionMessage, id: string, called: object): readonly [string, object] {
  const [first] = message.parts;
  if (first?.kind === "tool-result") {
    const { callId, isError = false } = first;
    const content = first.content.map(blockFor);
    const block = { type: "tool-result", toolCallId: callId, content, ...(isError && { isError }) };
    return [
      "tool/result",
      { ...PLACE, message: { source: { kind: "tool", callId }, content: [block], role: "user", id } },
    ];
  }
  const content = message.parts.map(blockFor);
  if (message.role === "assistant")
    return [
      "assistant/message",
      { ...PLACE, message: { role: "assistant", content, source: { kind: "model", ...called }, id } },
    ];
  const source = injected === true ? { kind: "plugin", plugin: PROVIDER } : { kind: "user" };
  return ["user/message", { content, source, role: "user", id }];
}

function blockFor(part: Part | ContentPart): object {
  if (part.kind === "reasoning") return { type: "reasoning", text: part.text };
  if (part.kind !== "tool-call") return { type: "text", text: contentText([part as ContentPart]) };
  return { type: "tool-call", id: part.id, name: part.name, arguments: part.arguments };
}
