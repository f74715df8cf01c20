/** Written by `npm run queries` from the definitions in the files beside: each query as SQLite runs it. */
export const STATEMENTS = {
  addBody: `insert into "bodies" ("tenant", "form", "hash", "encoding", "content", "bytes")
    values (:tenant, :form, :hash, :encoding, :content, :bytes)
    on conflict ("tenant", "form", "hash") do nothing`,
  addLink: `insert into "links" ("tenant", "link", "parent", "position", "session", "role", "protocol", "member", "body", "created_at")
    values (:tenant, :link, :parent, :position, :session, :role, :protocol, :member, :body, :now)`,
  addOriginal: `insert into "originals" ("tenant", "recall_id", "kind", "label", "created_at", "masked")
    values (:tenant, :id, :kind, :label, :now, :masked)`,
  addPiece: `insert into "original_pieces" ("original", "position", "body") values (:original, :position, :body)`,
  addRecord: `insert into "records" ("tenant", "link", "schema_version", "generation", "record", "created_at", "used_at")
    values (:tenant, :link, :schemaVersion, :generation, :record, :now, :now)`,
  addSession: `insert into "sessions" ("tenant", "name", "parent", "forked_at", "head", "created_at", "updated_at")
    values (:tenant, :name, :parent, :forkedAt, null, :now, :now)`,
  addTenant: `insert into "tenants" ("name") values (:name) on conflict ("name") do nothing`,
  addTombstone: `insert into "tombstones" ("tenant", "link", "generation", "created_at")
    values (:tenant, :link, :generation, :now)`,
  addUsage: `insert into "usages" ("tenant", "link", "model", "input", "output", "cache_read", "cache_write", "cost_usd", "at")
    values (:tenant, :link, :model, :input, :output, :cacheRead, :cacheWrite, :costUsd, :at)`,
  addWords: `insert into "words" ("rowid", "tokens") values (:id, :tokens)`,
  allBodies: `select "id", "hash", "encoding", "content" from "bodies"`,
  brokenLinks: `select "links"."link"
    from "links"
    left join "links" as "parents" on "parents"."id" = "links"."parent"
    where links.position <> coalesce(parents.position + 1, 0)`,
  count: `select (select count(*) as "count"
      from "sessions"
      where (:tenant is null or tenant = :tenant)) as "sessions", (select count(*) as "count"
      from "links"
      where (:tenant is null or tenant = :tenant)) as "messages", (select count(*) as "count"
      from "records"
      where (:tenant is null or tenant = :tenant)) as "compactions", (select count(*) as "count"
      from "originals"
      where (:tenant is null or tenant = :tenant)) as "originals", (select count(*) as "count"
      from "bodies"
      where (:tenant is null or tenant = :tenant)) as "bodies", (select sum("bytes") as "sum"
      from "bodies"
      where (:tenant is null or tenant = :tenant)) as "bytes"`,
  deleteBody: `delete from "bodies"
    where "id" = :id
    and not exists (select "id"
      from "links"
      where "body" = :id)
    and not exists (select "original"
      from "original_pieces"
      where "body" = :id)
    returning "bytes"`,
  deleteLinks: `delete from "links" where "session" = :session`,
  deleteNames: `delete from "record_originals"
    where "record" in (select "id"
      from "records"
      where "tenant" = :tenant
      and "link" = :link)`,
  deleteOriginal: `delete from "originals" where "id" = :original`,
  deletePieces: `delete from "original_pieces" where "original" = :original`,
  deleteRecords: `delete from "records" where "tenant" = :tenant and "link" = :link`,
  deleteSession: `delete from "sessions" where "id" = :session`,
  deleteState: `delete from "states" where "tenant" = :tenant and "root" = :root`,
  deleteStates: `delete from "states" where "tenant" = :tenant and "link" = :link`,
  deleteTombstones: `delete from "tombstones" where "tenant" = :tenant and "link" = :link`,
  deleteUsages: `delete from "usages" where "tenant" = :tenant and "link" = :link`,
  deleteWords: `delete from "words" where "rowid" = :id`,
  dropHead: `update "sessions" set "head" = null where "id" = :session`,
  findBody: `select "id" from "bodies" where "tenant" = :tenant and "form" = :form and "hash" = :hash`,
  findByName: `select "id", "name" from "sessions" where "tenant" = :tenant and "name" = :name`,
  findLink: `select "links"."id", "links"."position", "links"."session", "sessions"."head", "sessions"."name"
    from "links"
    inner join "sessions" on "sessions"."id" = "links"."session"
    where "links"."tenant" = :tenant
    and "links"."link" = :link`,
  findLinks: `select "links"."link"
    from json_each(:links) as "wanted"
    cross join "links"
    where "links"."tenant" = :tenant
    and "links"."link" = "wanted"."value"`,
  findOriginal: `select "id", "kind", "label", "masked"
    from "originals"
    where "tenant" = :tenant
    and "recall_id" = :id`,
  findTenant: `select "id" from "tenants" where "name" = :name`,
  firstLink: `select "link" from "links" where "session" = :session order by "id" limit 1`,
  isNamed: `select "o"."id"
    from "originals" as "o"
    where "o"."id" = :id
    and exists (select 1
      from record_originals n join records r on r.id = n.record
      where n.recall_id = o.recall_id
      and r.tenant = o.tenant)`,
  leftOver: `select "id"
    from "originals"
    where "tenant" = :tenant
    and "recall_id" >= :from
    and "recall_id" < :to
    and "created_at" < :before`,
  linksOfSession: `select "tenant", "link", "body" from "links" where "session" = :session`,
  listEntries: `select "sessions"."name", "sessions"."created_at", "sessions"."updated_at", "heads"."link" as "head", "heads"."position", "parents"."name" as "parent", "forks"."link" as "forked_at"
    from "sessions"
    inner join "links" as "heads" on "heads"."id" = "sessions"."head"
    left join "sessions" as "parents" on "parents"."id" = "sessions"."parent"
    left join "links" as "forks" on "forks"."id" = "sessions"."forked_at"
    where "sessions"."tenant" = :tenant
    and (:name is null or "sessions"."name" = :name)
    and (:parent is null or "parents"."name" = :parent)
    and substr(sessions.name, 1, length(:prefix)) = :prefix
    order by "sessions"."updated_at" desc, "sessions"."id" desc
    limit :limit`,
  markUsed: `update "records"
    set "used_at" = :now
    where "tenant" = :tenant
    and "link" in (select value
      from json_each(:links))`,
  messagesMatching: `select "links"."link", "links"."role", "links"."protocol", "links"."body", "links"."position", "sessions"."name"
    from "words"
    inner join "links" on "links"."body" = "words"."rowid"
    inner join "sessions" on "sessions"."id" = "links"."session"
    where words match :expression
    and "links"."member" = 0
    order by "links"."id" desc`,
  nameOriginal: `insert into "record_originals" ("record", "recall_id")
    values (:record, :recallId)
    on conflict do nothing`,
  newestMessages: `select "links"."link", "links"."role", "links"."protocol", "links"."body", "links"."position", "sessions"."name"
    from "links"
    inner join "sessions" on "sessions"."id" = "links"."session"
    where "links"."tenant" = :tenant
    and "links"."member" = 0
    order by "links"."id" desc`,
  newestOriginals: `select "originals"."recall_id", "originals"."label", "original_pieces"."body"
    from "originals"
    inner join "original_pieces" on "originals"."id" = "original_pieces"."original"
    where "originals"."tenant" = :tenant
    and "originals"."kind" <> :staged
    order by "originals"."id" desc, "original_pieces"."position"`,
  newestUsages: `select "usages"."link", max("usages"."id") as "id"
    from json_each(:links) as "wanted"
    cross join "usages"
    where "usages"."tenant" = :tenant
    and "usages"."link" = "wanted"."value"
    group by "usages"."link"`,
  oldestOriginal: `select "o"."id", "o"."created_at"
    from "originals" as "o"
    where (:tenant is null or "o"."tenant" = :tenant)
    and not exists (select 1
      from record_originals n join records r on r.id = n.record
      where n.recall_id = o.recall_id
      and r.tenant = o.tenant)
    order by "o"."created_at", "o"."id"
    limit 1`,
  oldestRecord: `select "r"."tenant", "r"."link", max("r"."used_at") as "used_at"
    from "records" as "r"
    where (:tenant is null or "r"."tenant" = :tenant)
    and not exists (select 1
      from links l
      where l.tenant = r.tenant
      and l.link = r.link)
    group by "r"."tenant", "r"."link"
    order by "used_at"
    limit 1`,
  oldestSession: `select "s"."id", "s"."updated_at"
    from "sessions" as "s"
    where (:tenant is null or "s"."tenant" = :tenant)
    and not exists (select 1
      from sessions
      where parent = s.id)
    and not exists (select 1
      from sessions o join links h on h.id = o.head
      where h.session = s.id
      and o.id <> s.id)
    and not exists (select 1
      from links c join links p on p.id = c.parent
      where p.session = s.id
      and c.session <> s.id)
    order by "s"."updated_at", "s"."id"
    limit 1`,
  oldestState: `select "s"."tenant", "s"."root", "s"."updated_at"
    from "states" as "s"
    where (:tenant is null or "s"."tenant" = :tenant)
    and not exists (select 1
      from links l
      where l.tenant = s.tenant
      and l.link = s.link)
    order by "s"."updated_at"
    limit 1`,
  originalsMatching: `select "originals"."recall_id", "originals"."label", "original_pieces"."body"
    from "words"
    inner join "original_pieces" on "original_pieces"."body" = "words"."rowid"
    inner join "originals" on "originals"."id" = "original_pieces"."original"
    where words match :expression
    and "originals"."kind" <> :staged
    order by "originals"."id" desc, "original_pieces"."position"`,
  originalsOfLink: `select distinct "o"."id"
    from "records"
    inner join "record_originals" on "record_originals"."record" = "records"."id"
    inner join "originals" as "o" on "o"."tenant" = "records"."tenant"
    and "o"."recall_id" = "record_originals"."recall_id"
    where "records"."tenant" = :tenant
    and "records"."link" = :link`,
  pieceHashes: `select "bodies"."form", "bodies"."hash"
    from "original_pieces"
    inner join "bodies" on "bodies"."id" = "original_pieces"."body"
    where "original_pieces"."original" = :original
    order by "original_pieces"."position"`,
  publishOriginal: `update "originals"
    set "recall_id" = :id, "kind" = :kind, "label" = :label, "masked" = :masked, "created_at" = :now
    where "id" = :row`,
  readBodyById: `select "form", "encoding", "content" from "bodies" where "id" = :id`,
  readLinksUpTo: `with recursive "chain" as (select "id", "parent", "link", "position"
      from "links"
      where "tenant" = :tenant
      and "link" = :link
      union all
      select "links"."id", "links"."parent", "links"."link", "links"."position"
      from "links"
      inner join "chain" on "chain"."parent" = "links"."id")
    select "chain"."link"
    from "chain"
    order by "chain"."position"`,
  readPieces: `select "bodies"."id", "bodies"."encoding", "bodies"."content"
    from "original_pieces"
    inner join "bodies" on "bodies"."id" = "original_pieces"."body"
    where "original_pieces"."original" = :original
    order by "original_pieces"."position"`,
  readRecordById: `select "record" from "records" where "id" = :id`,
  readState: `select "state" from "states" where "tenant" = :tenant and "root" = :root`,
  readUpTo: `with recursive "chain" as (select "id", "parent"
      from "links"
      where "tenant" = :tenant
      and "link" = :link
      union all
      select "links"."id", "links"."parent"
      from "links"
      inner join "chain" on "chain"."parent" = "links"."id")
    select "links"."link", "links"."role", "links"."protocol", "links"."member", "bodies"."encoding", "bodies"."content"
    from "chain"
    inner join "links" on "links"."id" = "chain"."id"
    inner join "bodies" on "bodies"."id" = "links"."body"
    order by "links"."position"`,
  readUsage: `select * from "usages" where "id" = :id`,
  recordsOf: `select "records"."id", "records"."link", "schema_version", "generation", "used_at", "created_at"
    from json_each(:links) as "wanted"
    cross join "records"
    where "records"."tenant" = :tenant
    and "records"."link" = "wanted"."value"`,
  renameSession: `update "sessions" set "name" = :name where "id" = :session`,
  setState: `insert into "states" ("tenant", "root", "state", "updated_at")
    values (:tenant, :root, :state, :now)
    on conflict ("tenant", "root") do update
    set "state" = :state, "updated_at" = :now`,
  standingOn: `with recursive "standing"("id") as (
      select id
      from sessions
      where tenant = :tenant
      and name in (select value
        from json_each(:names)) union
      select b.id
      from standing join sessions b on b.parent = standing.id union
      select f.id
      from standing join links h on h.session = standing.id join sessions f on f.head = h.id union
      select c.session
      from standing join links p on p.session = standing.id join links c on c.parent = p.id)
    select "sessions"."id", "sessions"."name"
    from "standing"
    inner join "sessions" on "sessions"."id" = "standing"."id"
    order by "sessions"."id" desc`,
  sumUsage: `select count(*) as "requests", sum("input") as "input", sum("output") as "output", sum("cache_read") as "cacheRead", sum("cache_write") as "cacheWrite", sum("cost_usd") as "costUsd"
    from "usages"
    where "tenant" = :tenant
    and "at" >= :since`,
  tenantsWithSessions: `select "tenants"."name" as "tenant", count(*) as "sessions", max("sessions"."updated_at") as "updatedAt"
    from "tenants"
    inner join "sessions" on "sessions"."tenant" = "tenants"."id"
    group by "tenants"."id"
    order by "updatedAt" desc`,
  tombstonesOf: `select "tombstones"."link"
    from json_each(:links) as "wanted"
    cross join "tombstones"
    where "tombstones"."tenant" = :tenant
    and "tombstones"."link" = "wanted"."value"`,
  touchSession: `update "sessions" set "updated_at" = :now where "id" = :id and "updated_at" <= :before`,
  updateSession: `update "sessions" set "head" = :head, "updated_at" = :now where "id" = :id`,
  usedBytes: `select ((select page_count
        from pragma_page_count) - (select freelist_count
        from pragma_freelist_count)) * (select page_size
      from pragma_page_size) as "bytes"`,
};
