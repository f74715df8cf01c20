/** Where each agent keeps its sessions, and where a written one has to go. */
import type { AgentHome, AgentPlace, Destination, NewSession } from "./format.ts";
import { FORMATS } from "./formats.ts";
import type { LogFormat } from "./log.ts";

export type PlaceEnvironment = AgentHome["environment"];

/** `folder` is where the person works, for a machine without a home. */
export function placeOf(format: LogFormat, environment: PlaceEnvironment, folder: string): AgentPlace {
  const home = environment["HOME"] ?? environment["USERPROFILE"] ?? folder;
  return FORMATS[format].kept({ environment, home });
}

export function destinationFor(
  to: LogFormat,
  session: NewSession,
  { environment, folder }: { readonly environment: PlaceEnvironment; readonly folder: string },
): Destination {
  const { roots, destination } = placeOf(to, environment, folder);
  return destination(roots[0]!, session);
}
