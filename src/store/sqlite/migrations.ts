/**
 * The schema, as ordered named steps. Its table `migrations` says which a file has taken; its `user_version` says the oldest schema
 * whose programs can still work on it, and a program that knows only older ones leaves it alone. Steps that were ever released
 * are never changed.
 */

export interface Migration {
  readonly name: string;
  /** The oldest schema whose programs can still work on the file after this step. */
  readonly compatibleWith: number;
  readonly sql: string;
}

/** Marks a file as ours: "prcs" in ASCII. */
export const APPLICATION_ID = 0x70726373;

export const MIGRATIONS: readonly Migration[] = [
  {
    name: "first tables",
    compatibleWith: 1,
    sql: `
create table migrations (position integer primary key, name text not null, applied_at integer not null);

create table tenants (id integer primary key, name text not null unique);

create table bodies (
  id integer primary key,
  tenant integer not null references tenants (id),
  form text not null,
  hash blob not null,
  encoding text not null,
  content blob not null,
  bytes integer not null,
  unique (tenant, form, hash)
);
create index bodies_by_size on bodies (tenant, bytes);

create table sessions (
  id integer primary key,
  tenant integer not null references tenants (id),
  name text not null,
  parent integer references sessions (id),
  forked_at integer references links (id),
  head integer references links (id),
  created_at integer not null,
  updated_at integer not null,
  unique (tenant, name)
);
create index sessions_by_use on sessions (tenant, updated_at);
create index sessions_by_age on sessions (updated_at, id);
create index sessions_by_parent on sessions (parent);
create index sessions_by_head on sessions (head);
create index sessions_by_fork on sessions (forked_at);

create table links (
  id integer primary key,
  tenant integer not null references tenants (id),
  link text not null,
  parent integer references links (id),
  position integer not null,
  session integer not null references sessions (id),
  role text not null,
  protocol text,
  member integer not null,
  body integer not null references bodies (id),
  created_at integer not null,
  unique (tenant, link)
);
create index links_by_parent on links (parent);
create index links_by_session on links (session);
create index links_by_body on links (body);

create table records (
  id integer primary key,
  tenant integer not null references tenants (id),
  link text not null,
  schema_version integer not null,
  generation integer not null,
  record blob not null,
  created_at integer not null,
  used_at integer not null,
  unique (tenant, link, schema_version, generation)
);

create table tombstones (
  tenant integer not null references tenants (id),
  link text not null,
  generation integer not null,
  created_at integer not null,
  primary key (tenant, link, generation)
) without rowid;

create table originals (
  id integer primary key,
  tenant integer not null references tenants (id),
  recall_id text not null,
  kind text not null,
  label text not null,
  created_at integer not null,
  unique (tenant, recall_id)
);
create index originals_by_age on originals (created_at, id);

create table original_pieces (
  original integer not null references originals (id),
  position integer not null,
  body integer not null references bodies (id),
  primary key (original, position)
) without rowid;
create index original_pieces_by_body on original_pieces (body);

create table record_originals (
  record integer not null references records (id),
  recall_id text not null,
  primary key (record, recall_id)
) without rowid;
create index record_originals_by_recall_id on record_originals (recall_id);

create table usages (
  id integer primary key,
  tenant integer not null references tenants (id),
  link text not null,
  model text not null,
  input integer not null,
  output integer not null,
  cache_read integer not null,
  cache_write integer not null,
  cost_usd real,
  at integer not null
);
create index usages_by_link on usages (tenant, link, id);
create index usages_by_time on usages (tenant, at);

create table states (
  tenant integer not null references tenants (id),
  root text not null,
  state text not null,
  updated_at integer not null,
  primary key (tenant, root)
) without rowid;

create virtual table words using fts5 (
  tokens, content = '', contentless_delete = 1, detail = 'none', tokenize = 'ascii'
);
`,
  },
  {
    name: "masked originals, the age of states, encryption",
    compatibleWith: 2,
    sql: `
alter table originals add column masked integer not null default 0;
alter table states add column link text generated always as (substr(root, instr(root, ':') + 1)) virtual;
create index states_by_link on states (tenant, link);
create index states_by_age on states (updated_at);
create table encryption (id integer primary key check (id = 1), proof blob not null);
`,
  },
  {
    name: "compactions by the first link of their conversation",
    // An older program leaves it out, and what it writes is found as before.
    compatibleWith: 2,
    sql: `
alter table records add column root text;
create index records_by_root on records (tenant, root) where root is not null;
create index records_without_root on records (tenant, link) where root is null;
`,
  },
];

export const SCHEMA_VERSION = MIGRATIONS.length;
/** What a file that has taken every step can still be used by. */
export const COMPATIBLE_VERSION = MIGRATIONS.at(-1)!.compatibleWith;
