/**
 * Results that stand only in events for the screen: a rollout may hold no output item of a call, because Codex was
 * stopped before it wrote one, or because only its events were kept (`codex-rs/protocol/src/protocol.rs`).
 */
import type { ContentPart } from "../../core/transcript/message.ts";
import { outputParts, type Item } from "./items.ts";
import { fieldsOf, textOf, type Fields } from "../fields.ts";

type Result = Extract<Item, { kind: "result" }>;

/** What a tool gave back, as its event tells it; undefined for events that end no call. */
export function endOf(event: Fields): Result | undefined {
  const ending = TOLD[textOf(event["type"]) ?? ""]?.(event);
  return ending === undefined ? undefined : { kind: "result", callId: textOf(event["call_id"]), ...ending };
}

type Told = Omit<Result, "kind" | "callId">;

const TOLD: Readonly<Record<string, (event: Fields) => Told>> = {
  exec_command_end: commandEnd,
  patch_apply_end: (event) =>
    event["status"] === "declined"
      ? DECLINED
      : told(
          [firstText(`${textOf(event["stdout"]) ?? ""}${textOf(event["stderr"]) ?? ""}`)],
          event["success"] === true,
        ),
  mcp_tool_call_end: ({ result }) => {
    const given = fieldsOf(result);
    const answer = fieldsOf(given?.["Ok"]);
    if (answer === undefined) return told([firstText(textOf(given?.["Err"]))], false);
    return { content: outputParts(answer), ...(answer["isError"] === true && FAILED) };
  },
  dynamic_tool_call_response: (event) => {
    const content = outputParts(event["content_items"]);
    const error = textOf(event["error"]);
    return {
      content: error === undefined ? content : [...content, text(error)],
      ...(event["success"] !== true && FAILED),
    };
  },
};

const FAILED = { isError: true } as const;
/** In the words in which Codex tells its model. */
const DECLINED: Told = told(["rejected by user"], false);

/** Codex puts the status above what a command printed; of the output it keeps one form of several. */
function commandEnd(event: Fields): Told {
  if (event["status"] === "declined") return DECLINED;
  const streams = `${textOf(event["stdout"]) ?? ""}${textOf(event["stderr"]) ?? ""}`;
  const output = firstText(textOf(event["formatted_output"]), textOf(event["aggregated_output"]), streams);
  const exit = event["exit_code"];
  if (typeof exit !== "number") return told([output], event["status"] !== "failed");
  return told([`Exit code: ${exit}`, "Output:", output], exit === 0);
}

function told(lines: readonly string[], worked: boolean): Told {
  return { content: [text(lines.join("\n"))], ...(!worked && FAILED) };
}

function text(words: string): ContentPart {
  return { kind: "text", text: words };
}

function firstText(...texts: readonly (string | undefined)[]): string {
  return texts.find((one) => one !== undefined && one !== "") ?? "";
}
