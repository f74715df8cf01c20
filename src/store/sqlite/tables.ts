/** The tables as the queries see them. Times are milliseconds since the epoch; ids are the database's own. */
import type { Generated, GeneratedAlways } from "kysely";

interface Bodies {
  readonly id: Generated<number>;
  readonly tenant: number;
  readonly form: string;
  readonly hash: Uint8Array;
  /** `utf8`, or `utf16` for text that UTF-8 cannot hold. */
  readonly encoding: string;
  readonly content: Uint8Array;
  readonly bytes: number;
}

interface Sessions {
  readonly id: Generated<number>;
  readonly tenant: number;
  readonly name: string;
  readonly parent: number | null;
  readonly forked_at: number | null;
  readonly head: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

interface Links {
  readonly id: Generated<number>;
  readonly tenant: number;
  readonly link: string;
  readonly parent: number | null;
  readonly position: number;
  readonly session: number;
  readonly role: string;
  readonly protocol: string | null;
  readonly member: number;
  readonly body: number;
  readonly created_at: number;
}

interface Records {
  readonly id: Generated<number>;
  readonly tenant: number;
  readonly link: string;
  readonly schema_version: number;
  /** How often the link had been undone. */
  readonly generation: number;
  readonly record: Uint8Array;
  readonly created_at: number;
  readonly used_at: number;
}

interface Originals {
  readonly id: Generated<number>;
  readonly tenant: number;
  readonly recall_id: string;
  readonly kind: string;
  readonly label: string;
  readonly created_at: number;
  /** 1: secrets were masked before it was kept. */
  readonly masked: Generated<number>;
}

interface Usages {
  readonly id: Generated<number>;
  readonly tenant: number;
  readonly link: string;
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly cost_usd: number | null;
  readonly at: number;
}

export interface Tables {
  readonly tenants: { readonly id: Generated<number>; readonly name: string };
  readonly bodies: Bodies;
  readonly sessions: Sessions;
  readonly links: Links;
  readonly records: Records;
  readonly tombstones: {
    readonly tenant: number;
    readonly link: string;
    readonly generation: number;
    readonly created_at: number;
  };
  readonly originals: Originals;
  readonly original_pieces: { readonly original: number; readonly position: number; readonly body: number };
  readonly record_originals: { readonly record: number; readonly recall_id: string };
  readonly usages: Usages;
  readonly states: {
    readonly tenant: number;
    readonly root: string;
    readonly state: string;
    readonly updated_at: number;
    /** The root, without what stands before a colon. */
    readonly link: GeneratedAlways<string>;
  };
  /** One row where the contents are encrypted: what the right key opens. */
  readonly encryption: { readonly id: number; readonly proof: Uint8Array };
  readonly words: { readonly rowid: number; readonly tokens: string };
}
