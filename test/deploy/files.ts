/** The files of `deploy/`, and what their dashboards and alerts ask for. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

export const ROOT = join(import.meta.dirname, "../..");
export const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const dashboard = JSON.parse(read("deploy/grafana/precis.json")) as { readonly panels: readonly Panel[] };
export const panelQueries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, expr] as const),
);
const { groups } = parse(read("deploy/prometheus/alerts.yaml")) as {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
};
export const alertQueries = groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => [alert, expr] as const));
export const queries: readonly (readonly [name: string, expr: string])[] = [...panelQueries, ...alertQueries];

export const seriesIn = (expr: string) => expr.match(/\b(?:precis|process|nodejs)_\w+/g) ?? [];

export const PROBES = ["startupProbe", "readinessProbe", "livenessProbe"] as const;
