/** A recorded session in the forms in which agents send and keep theirs. */
import { createHash } from "node:crypto";
import type { Call, Turn } from "./recorder.ts";
import { SHOWN_ROOT } from "./workspace.ts";

interface Parameter {
  readonly type: string;
  readonly items?: { readonly type: string };
}

const text: Parameter = { type: "string" };
const count: Parameter = { type: "integer" };

/** The tools an agent was given: description, parameters, and which of them it may leave out. */
type Tools = Readonly<
  Record<
    string,
    readonly [description: string, parameters: Readonly<Record<string, Parameter>>, optional?: readonly string[]]
  >
>;

export const CODING_TOOLS: Tools = {
  bash: ["Run a shell command in the project folder and get what it prints.", { command: text }],
  grep: ["Search files for an extended regular expression.", { pattern: text, path: text }],
  read: ["Read a file, or some of its lines.", { path: text, from: count, to: count }, ["from", "to"]],
  edit: ["Replace a passage that stands exactly once in a file.", { path: text, old: text, new: text }],
  write: ["Write a whole file.", { path: text, content: text }],
  plan: ["Write down the plan, one item a line, marked [x], [>] or [ ].", { items: { type: "array", items: text } }],
};

const list: Parameter = { type: "array", items: { type: "string" } };

export const BOOKING_TOOLS: Tools = {
  find_customer: ["Find a customer by e-mail address.", { email: text }],
  get_booking: ["A booking with its tickets, stays and means of payment.", { booking_id: text }],
  get_payments: ["What was paid and refunded today.", { booking_id: text }],
  get_rules: ["The agency's rules on a topic.", { topic: text }],
  search_trains: ["Trains of a day with prices and free places.", { from: text, to: text, date: text }],
  search_stays: ["Hotels with free rooms.", { city: text, from: text, nights: count }],
  change_ticket: [
    "Move a ticket to another train.",
    { ticket_id: text, train: text, date: text, place: text, pay_by: text },
    ["place"],
  ],
  rename_ticket: ["Change the traveller.", { ticket_id: text, traveller: text, born: text, pay_by: text }, ["born"]],
  cancel_ticket: ["Cancel a ticket by its fare's rule.", { ticket_id: text }],
  redirect_refund: ["Send a refund to another means of payment.", { refund_id: text, to: text }],
  book_stay: ["Book a room.", { hotel: text, from: text, nights: count, rooms: text }],
  cancel_stay: ["Cancel a stay.", { stay_id: text }],
  hold_tickets: ["Hold places on a train.", { train: text, date: text, travellers: list, places: list }],
  create_payment_link: ["Send a link for what is still to pay.", { hold_id: text, use_voucher: text, send_to: text }],
  send_confirmation: ["Send a confirmation.", { to: text, about: text }],
};

export interface Given {
  readonly system: string;
  readonly tools: Tools;
}

/** The body of an OpenAI Chat Completions request that would continue the session. */
export function openAiChatBody(given: Given, turns: readonly Turn[]): string {
  const tools = Object.entries(given.tools).map(([name, [description, properties, optional = []]]) => {
    const required = Object.keys(properties).filter((key) => !optional.includes(key));
    return { type: "function", function: { name, description, parameters: { type: "object", properties, required } } };
  });
  const messages = [{ role: "system", content: given.system }, ...turns.flatMap(openAiMessages)];
  return `${JSON.stringify({ model: "gpt-5.6-sol", max_completion_tokens: 8192, tools, messages }, undefined, 1)}\n`;
}

function openAiMessages(turn: Turn): readonly object[] {
  if (turn.kind === "user") return [{ role: "user", content: turn.text }];
  if (turn.calls.length === 0) return [{ role: "assistant", content: turn.text }];
  const calls = turn.calls.map(({ id, name, input }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
  const results = turn.calls.map((call) => ({ role: "tool", tool_call_id: call.id, content: call.result }));
  return [{ role: "assistant", content: turn.text, tool_calls: calls }, ...results];
}

/** A session file as Claude Code keeps it: one JSON object a line, one content block a line. */
export function claudeCodeSession(turns: readonly Turn[], sessionId: string): string {
  let parentUuid: string | null = null;
  const lines = turns
    .flatMap((turn, index) => claudeCodeEvents(turn, index))
    .map(({ at, type, message }, index) => {
      const uuid = uuidOf(`${sessionId} ${index}`);
      const line = {
        parentUuid,
        isSidechain: false,
        userType: "external",
        cwd: SHOWN_ROOT,
        sessionId,
        version: "2.1.0",
        gitBranch: "main",
        type,
        message,
        uuid,
        timestamp: new Date(at).toISOString(),
      };
      parentUuid = uuid;
      return JSON.stringify(line);
    });
  return `${lines.join("\n")}\n`;
}

interface Event {
  readonly at: number;
  readonly type: "user" | "assistant";
  readonly message: object;
}

function claudeCodeEvents(turn: Turn, index: number): readonly Event[] {
  const { at } = turn;
  if (turn.kind === "user") return [{ at, type: "user", message: { role: "user", content: turn.text } }];
  const says = turn.text === "" ? [] : [{ type: "text", text: turn.text }];
  const uses = turn.calls.map(({ id, name, input }) => ({ type: "tool_use", id: toolUseId(id), name, input }));
  const reply = {
    id: `msg_${String(index).padStart(4, "0")}`,
    type: "message",
    role: "assistant",
    model: "claude-sonnet-5",
  };
  const blocks = [...says, ...uses].map((block): Event => ({
    at,
    type: "assistant",
    message: { ...reply, content: [block] },
  }));
  return [...blocks, ...turn.calls.map((call): Event => ({ at, type: "user", message: toolResultMessage(call) }))];
}

function toolResultMessage(call: Call): object {
  const failed = call.failed ? { is_error: true } : {};
  return {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: toolUseId(call.id), content: call.result, ...failed }],
  };
}

function toolUseId(id: string): string {
  return id.replace("call_", "toolu_");
}

function uuidOf(seed: string): string {
  const hex = createHash("sha256").update(seed).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}
