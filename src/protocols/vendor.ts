/** Who runs a protocol's servers: where they are, how a request is known to be for them, and their words for an error. */
import type { Vendor } from "../core/protocols.ts";
import type { Fields } from "./dialect.ts";

/** What we answer in a vendor's place. */
export interface VendorError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export interface VendorDefinition {
  readonly name: Vendor;
  /** Where its requests go unless something else is configured. */
  readonly url: string;
  /** OpenTelemetry's name for it (`gen_ai.provider.name`). */
  readonly telemetryName: string;
  /** Whether a request is meant for it. `header` gives the value of a header, which is named in lower case. */
  readonly isAddressed: (path: string, header: (name: string) => string | undefined) => boolean;
  readonly errorBody: (error: VendorError) => Fields;
}

/** The first status that says the server failed. */
export const SERVER_ERROR_STATUS_MIN = 500;
