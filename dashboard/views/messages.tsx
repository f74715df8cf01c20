/** The messages of a session, a page at a time; each can be pinned, dropped, or forked after. */
import { useEffect, useState } from "preact/hooks";
import type { MessageInFull } from "../../src/session/history.ts";
import { get, send, sessionPath } from "../api.ts";
import { whole } from "../format.ts";
import { Parts, RoleBadge } from "../parts/message.tsx";
import { Empty, Failed, Loaded } from "../parts/states.tsx";
import { useResource } from "../resource.ts";
import { go, sessionHref } from "../route.ts";
import { DropDialog, ForkDialog } from "./actions.tsx";
import type { TabProps } from "./session.tsx";

const PAGE_MESSAGES = 50;

export function Messages(props: TabProps) {
  const { session, shown, number } = props;
  const total = shown.messages;
  const wanted = Math.min(Math.max(1, number ?? total), Math.max(1, total));
  const from = Math.floor((wanted - 1) / PAGE_MESSAGES) * PAGE_MESSAGES + 1;
  const page = useResource(
    `${session.tenant}/${session.id} ${from} ${Math.min(total, from + PAGE_MESSAGES)}`,
    (signal) =>
      get<readonly MessageInFull[]>(
        sessionPath(session, "/messages", { from: String(from), count: String(PAGE_MESSAGES) }),
        signal,
      ),
  );
  const { content } = page;
  useEffect(() => {
    if (content !== undefined) document.querySelector(`#message-${wanted}`)?.scrollIntoView({ block: "start" });
  }, [content, wanted]);
  return (
    <>
      <Pager {...props} from={from} total={total} />
      <Loaded of={page}>
        {(messages) =>
          messages.length === 0 ? (
            <Empty title="No messages" />
          ) : (
            <ol class="messages">
              {messages.map((message) => (
                <li
                  key={message.number}
                  id={`message-${message.number}`}
                  class={message.number === number ? "message chosen" : "message"}
                >
                  <Head {...props} message={message} />
                  <div>
                    <Parts parts={message.parts} />
                  </div>
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
      <Pager {...props} from={from} total={total} />
    </>
  );
}

function Pager({ session, from, total }: TabProps & { readonly from: number; readonly total: number }) {
  const to = (message: number): string => sessionHref(session, "messages", message);
  const last = Math.min(total, from + PAGE_MESSAGES - 1);
  const jump = (event: SubmitEvent): void => {
    event.preventDefault();
    go(to(Number(new FormData(event.currentTarget as HTMLFormElement).get("message"))));
  };
  return (
    <div class="pager">
      {from > 1 ? <a href={to(from - PAGE_MESSAGES)}>← earlier</a> : <span class="dim">← earlier</span>}
      <span>
        {whole(from)}–{whole(last)} of {whole(total)}
      </span>
      {last < total ? <a href={to(last + 1)}>later →</a> : <span class="dim">later →</span>}
      <form onSubmit={jump}>
        <label>
          <span class="hidden">Go to message</span>
          <input name="message" type="number" min={1} max={total} required placeholder="message" />
        </label>
        <button type="submit">Go</button>
      </form>
    </div>
  );
}

function Head(props: TabProps & { readonly message: MessageInFull }) {
  const { session, shown, reload, message } = props;
  const [open, setOpen] = useState<"drop" | "fork">();
  const [pinned, setPinned] = useState<Error | true>();
  const { number, role, tokens } = message;
  const pin = (): void =>
    void send(sessionPath(session, "/pin"), { messages: String(number) }).then(
      () => setPinned(true),
      (why: unknown) => setPinned(why as Error),
    );
  const dialog = { session, shown, reload, onClose: () => setOpen(undefined) };
  return (
    <div class="message-head">
      <RoleBadge role={role} />
      <a href={sessionHref(session, "messages", number)} class="n">
        {number}
      </a>
      <span class="dim">{whole(tokens)} tokens</span>
      <span class="message-actions">
        <button
          type="button"
          class="quiet"
          onClick={pin}
          disabled={pinned === true}
          aria-label={`Pin message ${number}`}
        >
          {pinned === true ? "Pinned" : "Pin"}
        </button>
        <button type="button" class="quiet" onClick={() => setOpen("drop")} aria-label={`Drop message ${number}`}>
          Drop
        </button>
        <button type="button" class="quiet" onClick={() => setOpen("fork")} aria-label={`Fork after message ${number}`}>
          Fork
        </button>
      </span>
      {pinned instanceof Error ? <Failed error={pinned} /> : null}
      {open === "drop" ? <DropDialog {...dialog} messages={String(number)} /> : null}
      {open === "fork" ? <ForkDialog {...dialog} at={number} /> : null}
    </div>
  );
}
