/** One session: what it is, and its tabs. */
import type { SessionShown } from "../../src/session/history.ts";
import { windowOriginText } from "../../src/session/timing.ts";
import { useEffect } from "preact/hooks";
import { get, prefetch, sessionPath, type SessionRef } from "../api.ts";
import { counted, dollars, moment, short, shortId } from "../format.ts";
import { useLive } from "../live.ts";
import { Loaded } from "../parts/states.tsx";
import { useResource } from "../resource.ts";
import { sessionHref, SESSION_TABS, type SessionTab } from "../route.ts";
import { Actions, thresholdText } from "./actions.tsx";
import { Compact } from "./compact.tsx";
import { Compactions } from "./compactions.tsx";
import { Context } from "./context.tsx";
import { HandoffTab } from "./handoff.tsx";
import { Messages } from "./messages.tsx";
import { WindowBar } from "./sessions.tsx";

export interface TabProps {
  readonly session: SessionRef;
  readonly shown: SessionShown;
  readonly number: number | undefined;
  /** Loads the session again, after something was done to it. */
  readonly reload: () => void;
}

const TAB_NAMES: Readonly<Record<SessionTab, string>> = {
  context: "Context",
  compactions: "Compactions",
  handoff: "Handoff",
  messages: "Messages",
  compact: "Compact now",
};

interface SessionProps {
  readonly session: SessionRef;
  readonly tab: SessionTab;
  readonly number: number | undefined;
}

export function Session({ session, tab, number }: SessionProps) {
  const { tenant, id } = session;
  // The first view does not wait for what the heading needs.
  useEffect(() => {
    if (tab === "context") prefetch(sessionPath(session, "/context"));
  }, []);
  const resource = useResource(`${tenant}/${id}`, (signal) =>
    get<SessionShown>(sessionPath(session, "", { tail: "1" }), signal),
  );
  useLive(resource.reload);
  return (
    <main class="session-page">
      <Loaded of={resource}>
        {(shown) => (
          <>
            <Heading shown={shown} reload={resource.reload} />
            <nav class="tabs" aria-label="Session">
              {SESSION_TABS.map((one) => (
                <a key={one} href={sessionHref(session, one)} {...(one === tab ? { "aria-current": "page" } : {})}>
                  {TAB_NAMES[one]}
                  {one === "compactions" && shown.history.length > 0 ? <small> {shown.history.length}</small> : null}
                </a>
              ))}
            </nav>
            <Tab tab={tab} session={session} shown={shown} number={number} reload={resource.reload} />
          </>
        )}
      </Loaded>
    </main>
  );
}

function Tab({ tab, ...props }: TabProps & { readonly tab: SessionTab }) {
  switch (tab) {
    case "context":
      return <Context {...props} />;
    case "compactions":
      return <Compactions {...props} />;
    case "handoff":
      return <HandoffTab {...props} />;
    case "messages":
      return <Messages {...props} />;
    case "compact":
      return <Compact {...props} />;
  }
}

function Heading({ shown, reload }: { readonly shown: SessionShown; readonly reload: () => void }) {
  const {
    tenant,
    id,
    title,
    model,
    protocol,
    updatedAt,
    estimate,
    spendUsd,
    messages,
    parent,
    branches,
    archives,
    threshold,
    window,
  } = shown;
  return (
    <div class="heading">
      <div>
        <h1 title={title}>{title === "" ? "(no person spoke)" : title}</h1>
        <p class="facts">
          <span class="mono" title={id}>
            {shortId(id)}
          </span>
          <span>{tenant}</span>
          <span>{model ?? protocol ?? "no model yet"}</span>
          <span>{counted(messages, "message")}</span>
          <span>
            ≈ {short(estimate.original)} tokens
            {estimate.sent === estimate.original ? "" : ` without compaction, sent as ${short(estimate.sent)}`}
          </span>
          <span>{dollars(spendUsd)}</span>
          {window === undefined ? null : (
            <span class={window.from === "learned" ? "warn" : ""}>
              window {short(window.tokens)}, {windowOriginText(window, Date.now())}
            </span>
          )}
          {threshold === undefined ? null : <span>threshold set to {thresholdText(threshold)}</span>}
          <span>{moment(updatedAt)}</span>
          {parent === undefined ? null : <a href={sessionHref({ tenant, id: parent })}>from {shortId(parent)}</a>}
          {branches === 0 ? null : <span>{counted(branches, "branch")}</span>}
          {archives.map(({ session }) => (
            <a key={session} href={sessionHref({ tenant, id: session })}>
              {shortId(session)}
            </a>
          ))}
        </p>
      </div>
      <div class="heading-side">
        <WindowBar session={shown} />
        <Actions session={{ tenant, id }} shown={shown} reload={reload} />
      </div>
    </div>
  );
}
