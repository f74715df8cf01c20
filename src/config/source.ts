/** What a source of settings is: stated values, each with the place where a person wrote it. */
import type { Problem } from "./problems.ts";

/** A file is the project's where it was found, `named` where the person named it, and the user's own. */
export type SourceKind = "flag" | "environment" | "project" | "named" | "user" | "default";

/** A value as one source gives it. */
export interface StatedSettings {
  readonly path: string;
  readonly value: unknown;
  /** As shown to a person: `precis.yaml:3:14`, `PRECIS_COMPRESSION_THRESHOLD`, `--set`. */
  readonly place: string;
}

/** What reading one source gave. */
export interface Statements {
  readonly stated: readonly StatedSettings[];
  readonly problems: readonly Problem[];
}

export interface Source {
  readonly kind: SourceKind;
  readonly stated: readonly StatedSettings[];
}

/** Where a setting's value came from; `place` is `default` for one that nobody stated. */
export interface Provenance {
  readonly kind: SourceKind;
  readonly place: string;
}
