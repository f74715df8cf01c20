/** The compactions of a session, one at a time: its report, and the conversation before and after it. */
import type { CompactionView } from "../../src/session/history.ts";
import { get, sessionPath } from "../api.ts";
import { moment } from "../format.ts";
import { Empty, Loaded } from "../parts/states.tsx";
import { useResource } from "../resource.ts";
import { sessionHref, type SessionTab } from "../route.ts";
import { Compare, COMPARE_PAGE } from "./compare.tsx";
import { Report } from "./report.tsx";
import type { TabProps } from "./session.tsx";

export function Compactions({ session, shown, number }: TabProps) {
  const { history } = shown;
  const chosen = chosenNumber(history.length, number);
  const load = (from: number, count: number, signal?: AbortSignal): Promise<CompactionView> =>
    get(sessionPath(session, `/compactions/${chosen}`, { from: String(from), count: String(count) }), signal);
  const entry = history[chosen - 1];
  const id = `${session.tenant}/${session.id} ${chosen} ${entry?.createdAt ?? ""}`;
  const view = useResource(id, (signal) => (chosen === 0 ? Promise.resolve(undefined) : load(1, COMPARE_PAGE, signal)));
  if (entry === undefined) return <NoCompaction {...{ session }} />;
  return (
    <>
      <Numbers session={session} total={history.length} chosen={chosen} tab="compactions" />
      <Loaded of={view}>
        {(loaded) =>
          loaded === undefined ? null : (
            <>
              <section class="panel">
                <Report
                  report={loaded.report}
                  when={`${moment(entry.createdAt)}, ${entry.undone ? "undone" : entry.stands ? "in effect" : "replaced by a later one"}`}
                />
              </section>
              <Compare key={id} id={id} session={session} view={loaded} load={load} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

export function NoCompaction({ session }: Pick<TabProps, "session">) {
  return (
    <Empty title="Nothing was compacted yet">
      <p>
        A session is compacted when it reaches its threshold.{" "}
        <a href={sessionHref(session, "compact")}>Compact it now</a>
      </p>
    </Empty>
  );
}

/** The one that is asked for, or the newest; 0 where there is none. */
export function chosenNumber(total: number, number: number | undefined): number {
  return number !== undefined && number >= 1 && number <= total ? number : total;
}

interface NumbersProps extends Pick<TabProps, "session"> {
  readonly total: number;
  readonly chosen: number;
  readonly tab: SessionTab;
}

export function Numbers({ session, total, chosen, tab }: NumbersProps) {
  if (total < 2) return null;
  return (
    <nav class="numbers" aria-label="Compactions">
      {Array.from({ length: total }, (_, at) => at + 1).map((number) => (
        <a
          key={number}
          href={sessionHref(session, tab, number)}
          aria-label={`Compaction ${number}`}
          {...(number === chosen ? { "aria-current": "true" as const } : {})}
        >
          {number}
        </a>
      ))}
    </nav>
  );
}
