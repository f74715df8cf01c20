/** All sessions, the last used first: live, filtered, and however many there are. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { SessionSummary } from "../../src/session/history.ts";
import { get } from "../api.ts";
import { ago, counted, dollars, moment, percent, short, shortId, whole } from "../format.ts";
import { useLive } from "../live.ts";
import { usePages, type Pages } from "../parts/pages.ts";
import { Empty, Failed, Loaded } from "../parts/states.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { useResource } from "../resource.ts";
import { go, sessionHref } from "../route.ts";
import { usePhone } from "../parts/phone.ts";

const PAGE_SESSIONS = 25;
const ROW_PX = 46;
const PHONE_ROW_PX = 92;

interface Tenant {
  readonly tenant: string;
  readonly sessions: number;
}

const STATES = {
  "": "any state",
  compacted: "compacted",
  whole: "never compacted",
  undone: "compaction undone",
  near: "above 80 % of the threshold",
} as const;

interface Filter {
  readonly tenant: string;
  readonly model: string;
  readonly engine: string;
  readonly state: keyof typeof STATES;
  readonly title: string;
}

const NO_FILTER: Filter = { tenant: "", model: "", engine: "", state: "", title: "" };

export function Sessions() {
  const [filter, setFilter] = useState(NO_FILTER);
  const tenants = useResource("tenants", (signal) => get<readonly Tenant[]>("/tenants", signal));
  const query = filter.tenant === "" ? "" : `&tenant=${encodeURIComponent(filter.tenant)}`;
  const pages = usePages(filter.tenant, PAGE_SESSIONS, (from, count) =>
    get<readonly SessionSummary[]>(`/sessions?limit=${count}&offset=${from}${query}`),
  );
  useLive(() => {
    tenants.reload();
    pages.reload();
  });
  return (
    <main class="fill">
      <Loaded of={tenants}>
        {(all) => <SessionList tenants={all} pages={pages} filter={filter} setFilter={setFilter} />}
      </Loaded>
    </main>
  );
}

interface SessionListProps extends Omit<FiltersProps, "loaded"> {
  readonly pages: Pages<SessionSummary>;
}

function SessionList({ tenants, pages, filter, setFilter }: SessionListProps) {
  const total = tenants
    .filter(({ tenant }) => filter.tenant === "" || tenant === filter.tenant)
    .reduce((sum, { sessions }) => sum + sessions, 0);
  const rows = useFiltered(pages, filter, total);
  if (tenants.length === 0) return <NoSessions />;
  return (
    <>
      <Filters filter={filter} setFilter={setFilter} tenants={tenants} loaded={pages.loaded} />
      <p class="count" role="status">
        {rows === undefined
          ? counted(total, "session")
          : `${whole(rows.length)} of ${counted(total, "session")}${pages.loaded.length < total ? `, ${whole(pages.loaded.length)} looked at so far` : ""}`}
      </p>
      {pages.error === undefined ? null : <Failed error={pages.error} again={() => pages.want(0, 1)} />}
      <Table pages={pages} rows={rows} total={total} tenants={tenants.length} />
    </>
  );
}

function NoSessions() {
  return (
    <Empty title="No sessions yet">
      <p>Point a client at this gateway and send a message; its session appears here while it happens.</p>
      <p>
        <code>ANTHROPIC_BASE_URL={location.origin} claude</code>
      </p>
    </Empty>
  );
}

/** Those that match; undefined where nothing is filtered. Filters look at every session, so all are loaded then. */
function useFiltered(
  pages: Pages<SessionSummary>,
  filter: Filter,
  total: number,
): readonly SessionSummary[] | undefined {
  const { model, engine, state, title } = filter;
  const active = model !== "" || engine !== "" || state !== "" || title !== "";
  const { loaded } = pages;
  useEffect(() => {
    if (active && loaded.length < total) pages.want(loaded.length, loaded.length + 1);
  }, [active, loaded.length, total]);
  return useMemo(() => (active ? loaded.filter((one) => matches(one, filter)) : undefined), [active, loaded, filter]);
}

function matches(session: SessionSummary, { model, engine, state, title }: Filter): boolean {
  if (model !== "" && session.model !== model) return false;
  if (engine !== "" && session.compactedBy !== engine) return false;
  if (title !== "" && !`${session.title} ${session.id}`.toLowerCase().includes(title.toLowerCase())) return false;
  switch (state) {
    case "":
      return true;
    case "compacted":
      return session.compactions > 0;
    case "whole":
      return session.compactions === 0;
    case "undone":
      return session.undone;
    case "near":
      return session.tokens >= 0.8 * (session.timing?.thresholdTokens ?? Infinity);
  }
}

interface FiltersProps {
  readonly filter: Filter;
  readonly setFilter: (filter: Filter) => void;
  readonly tenants: readonly Tenant[];
  readonly loaded: readonly SessionSummary[];
}

function Filters({ filter, setFilter, tenants, loaded }: FiltersProps) {
  const names = (of: (session: SessionSummary) => string | undefined): readonly string[] =>
    [...new Set(loaded.map(of).filter((name) => name !== undefined))].toSorted();
  const set = (part: Partial<Filter>): void => setFilter({ ...filter, ...part });
  const pick = (name: keyof Filter, label: string, options: Choices) => (
    <Pick label={label} value={filter[name]} options={options} onPick={(value) => set({ [name]: value })} />
  );
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <label class="grow">
        <span class="hidden">Filter by title or id</span>
        <input
          type="search"
          placeholder="Filter by title or id"
          value={filter.title}
          onInput={({ currentTarget }) => set({ title: currentTarget.value })}
        />
      </label>
      {pick(
        "model",
        "Model",
        choices(
          "any model",
          names(({ model }) => model),
        ),
      )}
      {pick(
        "engine",
        "Engine",
        choices(
          "any engine",
          names(({ compactedBy }) => compactedBy),
        ),
      )}
      {pick("state", "State", Object.entries(STATES))}
      {tenants.length < 2
        ? null
        : pick(
            "tenant",
            "Tenant",
            choices(
              "any tenant",
              tenants.map(({ tenant }) => tenant),
            ),
          )}
      {JSON.stringify(filter) === JSON.stringify(NO_FILTER) ? null : (
        <button type="button" onClick={() => setFilter(NO_FILTER)}>
          Clear
        </button>
      )}
    </form>
  );
}

type Choices = readonly (readonly [value: string, text: string])[];

interface PickProps {
  readonly label: string;
  readonly value: string;
  readonly options: Choices;
  readonly onPick: (value: string) => void;
}

function Pick({ label, value, options, onPick }: PickProps) {
  return (
    <label class="pick">
      <span class="hidden">{label}</span>
      <select
        value={value}
        class={value === "" ? "" : "on"}
        onChange={({ currentTarget }) => onPick(currentTarget.value)}
      >
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

function choices(any: string, all: readonly string[]): Choices {
  return [["", any], ...all.map((one) => [one, one] as const)];
}

interface TableProps {
  readonly pages: Pages<SessionSummary>;
  readonly rows: readonly SessionSummary[] | undefined;
  readonly total: number;
  readonly tenants: number;
}

function Table({ pages, rows, total, tenants }: TableProps) {
  const phone = usePhone();
  const at = (index: number): SessionSummary | undefined => (rows === undefined ? pages.at(index) : rows[index]);
  if (rows?.length === 0) return <Empty title="No session matches these filters" />;
  return (
    <div class="sessions">
      <div class="session head" aria-hidden="true">
        <span>Session</span>
        <span>Model</span>
        <span>Engine</span>
        <span>Window in use</span>
        <span class="number">Messages</span>
        <span>Last compaction</span>
        <span class="number">Spend</span>
        <span class="number">Used</span>
      </div>
      <VirtualList
        label="Sessions"
        total={rows?.length ?? total}
        rowPx={phone ? PHONE_ROW_PX : ROW_PX}
        {...(rows === undefined ? { onSight: pages.want } : {})}
        onOpen={(index) => {
          const session = at(index);
          if (session !== undefined) go(sessionHref(session));
        }}
        row={(index) => <SessionRow session={at(index)} showTenant={tenants > 1} />}
      />
    </div>
  );
}

function SessionRow({
  session,
  showTenant,
}: {
  readonly session: SessionSummary | undefined;
  readonly showTenant: boolean;
}) {
  if (session === undefined) return <div class="session dim">…</div>;
  const { id, tenant, title, model, messages, compactedBy, spendUsd, updatedAt, archiveOf } = session;
  return (
    <div class="session">
      <span class="title">
        <a href={sessionHref(session)} tabIndex={-1}>
          {title === "" ? "(no person spoke)" : title}
        </a>
        <small>
          {shortId(id)}
          {showTenant ? ` · ${tenant}` : ""}
          {archiveOf === undefined ? "" : " · archive"}
          {session.parent === undefined || archiveOf !== undefined ? "" : " · branch"}
        </small>
      </span>
      <span class="model">{model ?? "–"}</span>
      <span class="engine dim">{compactedBy ?? "–"}</span>
      <WindowBar session={session} />
      <span class="number size">{whole(messages)}</span>
      <LastCompaction session={session} />
      <span class="number spend">{dollars(spendUsd)}</span>
      <span class="number dim used" title={moment(updatedAt)}>
        {ago(updatedAt)}
      </span>
    </div>
  );
}

export function WindowBar({ session }: { readonly session: SessionSummary }) {
  const { tokens, tokensAre, window, timing } = session;
  const shown = `${tokensAre === "estimated" ? "≈ " : ""}${short(tokens)}`;
  if (window === undefined) return <span class="window">{shown}</span>;
  const windowTokens = window.tokens;
  const share = Math.min(1, tokens / windowTokens);
  const threshold = timing === undefined ? undefined : Math.min(1, timing.thresholdTokens / windowTokens);
  const level = threshold !== undefined && tokens >= timing!.thresholdTokens ? "over" : "";
  return (
    <span
      class="window"
      title={`${whole(tokens)} of ${whole(windowTokens)} tokens, ${tokensAre === "reported" ? "as the provider reported of its last request" : "as estimated"}`}
    >
      <span class="meter">
        <i class={level} style={{ width: `${share * 100}%` }} />
        {threshold === undefined ? null : <b style={{ left: `${threshold * 100}%` }} />}
      </span>
      <span class="figure">
        {percent(tokens, windowTokens)} <small>{shown}</small>
      </span>
    </span>
  );
}

function LastCompaction({ session: { lastCompaction, undone } }: { readonly session: SessionSummary }) {
  if (lastCompaction === undefined) return <span class="last dim">{undone ? "undone" : "none"}</span>;
  const { at, tokens } = lastCompaction;
  return (
    <span class="last">
      {short(tokens.before)} → {short(tokens.after)}
      <small title={moment(at)}>
        {ago(at)}
        {undone ? ", newer one undone" : ""}
      </small>
    </span>
  );
}
