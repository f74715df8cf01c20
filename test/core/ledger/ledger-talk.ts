/** Conversations written down briefly, for tests of what the ledger makes of them. */
import { createLedgerKeeper, type Ledger } from "../../../src/core/ledger/ledger.ts";
import { textMessage, type Message } from "../../../src/core/transcript/message.ts";

let calls = 0;

export function user(text: string): Message {
  return textMessage("user", text);
}

export function says(text: string): Message {
  return textMessage("assistant", text);
}

/** One call with its result. */
export function does(
  name: string,
  args: Readonly<Record<string, unknown>>,
  result: string,
  options: { readonly isError?: true; readonly text?: string } = {},
): readonly Message[] {
  const id = `call-${++calls}`;
  const said = options.text === undefined ? [] : [{ kind: "text", text: options.text } as const];
  return [
    { role: "assistant", parts: [...said, { kind: "tool-call", id, name, arguments: JSON.stringify(args) }] },
    {
      role: "tool",
      parts: [
        {
          kind: "tool-result",
          callId: id,
          content: [{ kind: "text", text: result }],
          ...(options.isError === undefined ? {} : { isError: true }),
        },
      ],
    },
  ];
}

export function run(command: string, result: string, options: { readonly isError?: true } = {}): readonly Message[] {
  return does("Bash", { command }, result, options);
}

export function edits(path: string): readonly Message[] {
  return does("Edit", { file_path: path, old_string: "a", new_string: "b" }, `The file ${path} has been updated.`);
}

export function reads(path: string): readonly Message[] {
  return does("Read", { file_path: path }, "1\tconst a = 1;");
}

export function ledgerOf(...parts: readonly (Message | readonly Message[])[]): Ledger {
  return createLedgerKeeper().ledgerOf(parts.flat());
}
