/** What works, but probably not as meant. */
export interface Warning {
  /** Stable, snake_case. */
  readonly code: string;
  /** The setting it is about. */
  readonly path: string;
  readonly message: string;
  readonly fix: string;
  /** For information; nothing needs to be fixed. */
  readonly note?: true;
}

export function counted(count: number): string {
  return `${count.toLocaleString("en-US")} tokens`;
}
