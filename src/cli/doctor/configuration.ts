/** The settings: whether they can be read, whether they contradict one another, and whether windows are as the models have them. */
import { mainWindow } from "../../config/engine-settings.ts";
import { findWarnings, type Warning } from "../../config/computed.ts";
import { shortPath } from "../../config/load.ts";
import { isLoopback } from "../../config/locate.ts";
import type { Configuration } from "../../config/schema.ts";
import { createRegistry, lookUp } from "../../models/registry/registry.ts";
import { count } from "../screen/amounts.ts";
import { type Examination, fault, fine, note, warning, type Area, type Finding } from "./finding.ts";

const ABOUT_WINDOWS = new Set([
  "window_assumed",
  "model_unknown",
  "window_small",
  "output_large",
  "auxiliary_unknown",
  "auxiliary_window_small",
  "auxiliary_window_below_main",
]);
const ONLY_NOTES = new Set(["not_read_yet"]);
/** Reported with the keys, the windows' own checks, or as faults. */
const TOLD_ELSEWHERE = new Set(["model_unclear", "main_only_in_place", "gateway_open", "engine_not_built_in"]);

export function checkConfiguration({ loaded, terminal }: Examination): readonly Finding[] {
  const { configuration, files, problems } = loaded;
  const names = files.map(({ path }) => shortPath(path, terminal));
  const wrong = problems.map(({ code, place, message, fix }) =>
    fault("configuration", code, { says: message.includes(place) ? message : `${place}: ${message}`, fix }),
  );
  const read = names.length === 0 ? "no file: defaults, environment and flags" : `read from ${names.join(", ")}`;
  return [
    ...(wrong.length === 0 ? [fine("configuration", "configuration", read)] : wrong),
    ...contradictions(configuration),
    ...findWarnings(configuration)
      .filter(({ code }) => !ABOUT_WINDOWS.has(code) && !TOLD_ELSEWHERE.has(code))
      .map((one) => toFinding("configuration", one)),
  ];
}

function toFinding(area: Area, { code, path, message, fix, note: harmless }: Warning): Finding {
  const says = `${path}: ${message}`;
  return harmless === true || ONLY_NOTES.has(code) ? note(area, code, says) : warning(area, code, { says, fix });
}

function contradictions({ gateway, compression }: Configuration): readonly Finding[] {
  const { host } = gateway;
  const found: Finding[] = [];
  if (gateway.token_env === null && !isLoopback(host))
    found.push(
      fault("configuration", "gateway_open", {
        says: `gateway.host ${host} can be reached from elsewhere and no token is set, so \`precis serve\` refuses to start`,
        fix: "Set gateway.token_env to a variable that holds a token, or gateway.host to 127.0.0.1.",
      }),
    );
  if (!compression.enabled && compression.mode === "observe")
    found.push(
      warning("configuration", "observe_off", {
        says: "compression.mode is observe, and compression.enabled is false: there is nothing to observe",
        fix: "Set compression.enabled to true; observing rewrites nothing.",
      }),
    );
  return found;
}

export function checkWindows(configuration: Configuration): readonly Finding[] {
  const { model, models } = configuration;
  const stated = [
    ...(model.name === null || model.context_length === null
      ? []
      : [{ path: "model.context_length", name: model.name, tokens: model.context_length }]),
    ...Object.entries(models).flatMap(([name, { context_length: tokens }]) =>
      tokens === undefined ? [] : [{ path: `models.${name}.context_length`, name, tokens }],
    ),
  ];
  const wrong = stated.flatMap((one) => tooLarge(one));
  const warnings = findWarnings(configuration)
    .filter(({ code }) => ABOUT_WINDOWS.has(code))
    .map((one) => (one.code === "window_assumed" ? assumed(configuration) : toFinding("windows", one)));
  const all = [...wrong, ...warnings];
  return all.some(({ level }) => level === "fault" || level === "warning") ? all : [...sound(configuration), ...all];
}

/** The gateway knows the model of each request; a transcript in a file need not name one. */
function assumed(configuration: Configuration): Finding {
  const tokens = count(mainWindow(configuration).tokens);
  return note(
    "windows",
    "window_assumed",
    `a transcript that names no model is compacted for a window of ${tokens} tokens`,
  );
}

function sound({ model }: Configuration): readonly Finding[] {
  const window = model.context_length;
  const says =
    window === null
      ? "the window size comes from the model's name"
      : `one window for every model: ${count(window)} tokens`;
  return [fine("windows", "windows", says)];
}

interface StatedSetting {
  readonly path: string;
  readonly name: string;
  readonly tokens: number;
}

/** Against the table alone: what the configuration itself says of the model is what is in question. */
function tooLarge({ path, name, tokens }: StatedSetting): readonly Finding[] {
  const known = lookUp(createRegistry(), name);
  if (known?.windowTokens === undefined || tokens <= known.windowTokens) return [];
  const says = `${path} is ${count(tokens)}, but ${name} reads ${count(known.windowTokens)} (${known.sources.join(", ")}): requests are refused before they are compacted`;
  return [fault("windows", "window_too_large", { says, fix: `Set it to ${known.windowTokens}, or leave it out.` })];
}
