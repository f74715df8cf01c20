/** A message as a person reads it: text in full, thinking and calls folded, results as one line that unfolds. */
import type { MessageInFull, PartShown } from "../../src/session/history.ts";
import { firstLine, short, whole } from "../format.ts";

const LONG_CHARS = 1_600;

export function Parts({ parts }: { readonly parts: readonly PartShown[] }) {
  if (parts.length === 0) return <p class="dim">No content.</p>;
  return (
    <>
      {parts.map((part, at) => (
        <PartOf key={at} part={part} />
      ))}
    </>
  );
}

function PartOf({ part }: { readonly part: PartShown }) {
  const { kind, text, tool } = part;
  switch (kind) {
    case "text":
      return <Text part={part} />;
    case "thinking":
      return (
        <Folded kind="thinking" name="Thinking" digest={text === "" ? "encrypted by the provider" : firstLine(text)}>
          {part}
        </Folded>
      );
    case "call":
      return (
        <Folded kind="call" name={tool ?? "call"} digest={firstLine(text)}>
          {part}
        </Folded>
      );
    case "result":
      return (
        <Folded
          kind={part.failed === true ? "result failed" : "result"}
          name={`${tool ?? "result"} →`}
          digest={`${short(part.chars ?? text.length)} chars · ${firstLine(text)}`}
        >
          {part}
        </Folded>
      );
    case "media":
      return <p class="dim">[{text}]</p>;
  }
}

function Text({ part }: { readonly part: PartShown }) {
  if (part.text.length <= LONG_CHARS) return <p class="said">{part.text}</p>;
  return (
    <details class="long">
      <summary>
        <span class="said">{part.text.slice(0, LONG_CHARS)}…</span>
        <span class="more">Show all {whole(part.chars ?? part.text.length)} characters</span>
      </summary>
      <p class="said">{part.text}</p>
      <Cut part={part} />
    </details>
  );
}

function Folded({
  kind,
  name,
  digest,
  children: part,
}: {
  readonly kind: string;
  readonly name: string;
  readonly digest: string;
  readonly children: PartShown;
}) {
  return (
    <details class={`folded ${kind}`}>
      <summary>
        <b>{name}</b> <span class="digest">{digest}</span>
      </summary>
      <pre tabIndex={0}>{part.kind === "call" ? indented(part.text) : part.text}</pre>
      <Cut part={part} />
    </details>
  );
}

function Cut({ part: { chars, text } }: { readonly part: PartShown }) {
  if (chars === undefined) return null;
  return (
    <p class="dim">
      The first {whole(text.length)} of {whole(chars)} characters. An export has everything.
    </p>
  );
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

export function RoleBadge({ role }: Pick<MessageInFull, "role">) {
  return <span class={`role ${role}`}>{role}</span>;
}
