/** Error lines of runs of which nothing says that they failed, each until the same runs without any. */
import type { ClassifiedCall } from "./readers/commands.ts";
import type { CallResult } from "./readers/results.ts";
import { stepsToRepeat, takesSteps } from "./readers/steps.ts";

/** The oldest go. */
const REPORTS_MAX = 200;

type ReportingEnd = Pick<CallResult, "ok" | "reports"> & { readonly at: number };

interface Reports {
  readonly after: (call: ClassifiedCall, end: ReportingEnd) => void;
  /** The messages whose errors are gone. */
  readonly outdated: () => readonly number[];
  /** A check that failed in that message works: what logs showed meanwhile is why it did not. */
  readonly explained: (since: number) => void;
}

interface Report {
  readonly steps: readonly string[];
  readonly isLog: boolean;
}

/** They may have failed: many a harness gives no exit status. */
export function createReports(): Reports {
  const standing = new Map<number, Report>();
  const outdated: number[] = [];
  const settle = (isSettled: (report: Report, message: number) => boolean): void =>
    standing.forEach((report, message) => {
      if (!isSettled(report, message)) return;
      outdated.push(message);
      standing.delete(message);
    });
  return {
    after: (call, { ok, at, reports }) => {
      if (call.command === undefined || ok === false) return;
      if (reports === undefined) {
        const takes = takesSteps(call.command);
        settle(({ steps }) => takes(steps));
        return;
      }
      standing.set(at, { steps: stepsToRepeat(call.command, reports), isLog: SHOWS_LOG.test(call.command) });
      if (standing.size > REPORTS_MAX) standing.delete(standing.keys().next().value!);
    },
    explained: (since) => settle(({ isLog }, message) => isLog && message > since),
    outdated: () => [...outdated],
  };
}

const SHOWS_LOG =
  /^(?:cd \S+ && )?(?:(?:kubectl|docker|podman|oc|heroku|fly|vercel)\b[^&;\n]{0,80}\slogs?\s|journalctl\b)/;
