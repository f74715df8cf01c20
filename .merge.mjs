// merges small files with one importer into it
import { readFileSync, writeFileSync, readdirSync, existsSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join, dirname, relative, resolve } from "node:path";
const ROOT = process.cwd();
const { parseAst } = await import(join(ROOT, "node_modules/vitest/dist/node.js")).catch(async () => await import("vitest/node"));
const FOLDERS = process.argv[2].split(",");
const MAX_A = Number(process.argv[3] ?? 100), MAX_AB = Number(process.argv[4] ?? 300);
const DRY = process.argv.includes("--dry");
const SKIP = new Set((process.env.SKIP ?? "").split(",").filter(Boolean));
const tracked = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" }).split("\0").filter((p) => /\.(ts|tsx|mts)$/.test(p) && existsSync(p));
const knip = JSON.parse(readFileSync("knip.json", "utf8"));
const pkg = JSON.parse(readFileSync("package.json", "utf8"));
const entries = new Set([...knip.workspaces["."].entry, ...Object.values(pkg.exports).map((e) => (e.default ?? e)).map((p) => p.replace("./dist/", "src/").replace(/\.js$/, ".ts")), "src/cli/bin.ts"]);
const files = new Map();
const parse = (t, p) => parseAst(t, { lang: p.endsWith("x") ? "tsx" : "ts", sourceType: "module" });
function load(p) {
  const text = readFileSync(p, "utf8");
  const imports = [];
  let ast; try { ast = parse(text, p); } catch (e) { console.error("parse", p, e.message); return; }
  const walk = (n) => {
    if (!n || typeof n.type !== "string") return;
    if (n.source && typeof n.source.value === "string") imports.push({ type: n.type, spec: n.source.value, node: n, start: n.source.start, end: n.source.end });
    for (const v of Object.values(n)) for (const c of Array.isArray(v) ? v : [v]) if (c && typeof c.type === "string") walk(c);
  };
  walk(ast);
  files.set(p, { text, ast, imports });
}
for (const p of tracked) load(p);
const target = (from, spec) => (spec.startsWith(".") ? relative(ROOT, resolve(ROOT, dirname(from), spec)) : undefined);
const importersOf = (a) => { const r = []; for (const [p, f] of files) for (const i of f.imports) if (target(p, i.spec) === a) r.push([p, i]); return r; };
const lines = (t) => t.split("\n").length - 1;
const topNames = (ast) => { const out = new Set(); for (const s of ast.body) { const d = s.declaration ?? s; if (d.id?.name) out.add(d.id.name); if (d.declarations) for (const v of d.declarations) { if (v.id.name) out.add(v.id.name); else JSON.stringify(v.id, (k, x) => { if (x?.type === "Identifier") out.add(x.name); return x; }); } } return out; };
const importedNames = (f) => { const m = new Map(); for (const s of f.ast.body) if (s.type === "ImportDeclaration") for (const sp of s.specifiers) m.set(sp.local.name, s.source.value); return m; };
let merged = 0;
function tryMerge(a) {
  const fa = files.get(a); if (!fa || entries.has(a) || SKIP.has(a)) return false;
  if (lines(fa.text) > MAX_A) return false;
  const imps = importersOf(a);
  const src = imps.filter(([p]) => p.startsWith("src/"));
  if (new Set(src.map(([p]) => p)).size !== 1) return false;
  const b = src[0][0]; const fb = files.get(b);
  if (entries.has(b) && b.endsWith("index.ts") ) return false;
  if (a.split("/")[1] !== b.split("/")[1]) return false;
  // same folder or child or parent folder
  const da = dirname(a), db = dirname(b);
  if (!(da === db || da.startsWith(db + "/") || db.startsWith(da + "/"))) return false;
  if (lines(fa.text) + lines(fb.text) > MAX_AB) return false;
  if (imps.some(([, i]) => i.type !== "ImportDeclaration")) return false;
  if (src.length !== 1) return false;
  const [, imp] = src[0];
  if (imp.node.specifiers.some((s) => s.type !== "ImportSpecifier" || s.imported.name !== s.local.name)) return false;
  for (const [, i] of imps) if (i.node.specifiers.some((s) => s.type !== "ImportSpecifier")) return false;
  const namesA = topNames(fa.ast), namesB = topNames(fb.ast), impA = importedNames(fa), impB = importedNames(fb);
  for (const n of namesA) if (namesB.has(n) || (impB.has(n) && target(b, impB.get(n)) !== a)) return false;
  const abs = (from, s) => (s.startsWith(".") ? target(from, s) : s);
  for (const [n, s] of impA) { if (namesB.has(n) && abs(a, s) !== b) return false; if (impB.has(n) && abs(b, impB.get(n)) !== abs(a, s)) return false; if (abs(a, s) === b) return false; }
  if (fa.imports.some((i) => i.type !== "ImportDeclaration" && i.spec.startsWith("."))) return false; // re-exports, dynamic
  if (/import\.meta/.test(fa.text) && da !== db) return false;
  if (fa.ast.body.some((s) => s.type === "ExportDefaultDeclaration" || (s.type === "ExportNamedDeclaration" && !s.declaration) || s.type === "ExportAllDeclaration" || s.type === "ExpressionStatement" || s.type==="TryStatement"||s.type==="IfStatement")) return false;
  // imported with type only but holds values
  // TDZ: top-level const initialisers of B that use value names of A outside functions
  const constsA = new Set(); for (const s of fa.ast.body) { const d = s.declaration ?? s; if (d.type === "VariableDeclaration") for (const v of d.declarations) if (v.id.name) constsA.add(v.id.name); if (d.type === "ClassDeclaration") constsA.add(d.id.name); }
  const usesEager = (ast, names) => { let hit = false; const w = (n) => { if (hit || !n || typeof n.type !== "string") return; if (/Function/.test(n.type) || n.type.startsWith("TS") && !n.type.startsWith("TSAs") && !n.type.startsWith("TSSat") && !n.type.startsWith("TSNonNull")) return; if (n.type === "Identifier" && names.has(n.name)) { hit = true; return; } for (const [k, v] of Object.entries(n)) { if (k === "typeAnnotation") continue; for (const c of Array.isArray(v) ? v : [v]) if (c && typeof c.type === "string") w(c); } }; for (const s of ast.body) { if (s.type === "ImportDeclaration") continue; w(s); if (hit) return true; } return false; };
  const eagerCalls = (ast, names) => usesEager(ast, names);
  const needFirst = usesEager(fb.ast, new Set([...namesA])) ;
  // assemble
  const importsOf = (p, f) => f.ast.body.filter((s) => s.type === "ImportDeclaration");
  const map = new Map(); const order = [];
  const add = (p, s) => {
    let spec = s.source.value; const t = target(p, spec); if (t === a) return;
    if (t !== undefined) { spec = relative(db, t); if (!spec.startsWith(".")) spec = "./" + spec; }
    const sideEffect = s.specifiers.length === 0;
    if (!map.has(spec)) { map.set(spec, { side: false, def: undefined, ns: undefined, named: new Map() }); order.push(spec); }
    const e = map.get(spec); if (sideEffect) e.side = true;
    for (const sp of s.specifiers) {
      if (sp.type === "ImportDefaultSpecifier") e.def = { name: sp.local.name, type: s.importKind === "type" };
      else if (sp.type === "ImportNamespaceSpecifier") e.ns = { name: sp.local.name, type: s.importKind === "type" };
      else { const type = s.importKind === "type" || sp.importKind === "type"; const key = sp.imported.name + " as " + sp.local.name; const old = e.named.get(key); e.named.set(key, { imported: sp.imported.name, local: sp.local.name, type: old ? old.type && type : type }); }
    }
  };
  for (const s of importsOf(b, fb)) add(b, s);
  for (const s of importsOf(a, fa)) add(a, s);
  const importText = order.map((spec) => {
    const e = map.get(spec); const out = [];
    if (e.ns) out.push(`import ${e.ns.type ? "type " : ""}* as ${e.ns.name} from "${spec}";`);
    const named = [...e.named.values()]; const allType = named.length > 0 && named.every((n) => n.type) && !e.def;
    if (named.length || e.def) { const list = named.map((n) => `${n.type && !allType ? "type " : ""}${n.imported}${n.imported === n.local ? "" : ` as ${n.local}`}`).join(", "); out.push(`import ${allType ? "type " : ""}${e.def ? e.def.name + (named.length ? ", " : "") : ""}${named.length ? `{ ${list} }` : ""} from "${spec}";`); }
    if (!e.ns && !named.length && !e.def && e.side) out.push(`import "${spec}";`);
    return out.join("\n");
  }).join("\n");
  const bodyOf = (f) => { const imps = f.ast.body.filter((s) => s.type === "ImportDeclaration"); let at = 0; let head = ""; const first = f.ast.body[0]; const m = /^(#![^\n]*\n)?(\/\*\*[^]*?\*\/\n|(?:\/\/[^\n]*\n)+)/.exec(f.text); head = m ? m[0] : ""; let rest; if (imps.length) rest = f.text.slice(imps.at(-1).end); else rest = f.text.slice(head.length); return { head, rest: rest.trim(), between: imps.length ? f.text.slice(head.length, imps[0].start) : "" }; };
  const A = bodyOf(fa), B = bodyOf(fb);
  if (A.between.trim() !== "" || B.between.trim() !== "") return false;
  // comments between imports lost?
  for (const f of [fa, fb]) { const im = f.ast.body.filter((s) => s.type === "ImportDeclaration"); for (let i = 1; i < im.length; i++) if (f.text.slice(im[i - 1].end, im[i].start).trim() !== "") return false; }
  const outside = new Set(); for (const [p, i] of imps) if (p !== b) for (const s of i.node.specifiers) outside.add(s.imported.name);
  let body = A.rest;
  // drop exports nobody outside needs
  for (const n of namesA) if (!outside.has(n)) body = body.replace(new RegExp(`^export ((?:async )?(?:function\\*?|const|let|interface|type|class|abstract class) ${n.replace("$", "\\$")}\\b)`, "m"), "$1");
  const headText = A.head.replace(/^\/\*\*\s*|\s*\*\/\s*$/g, "").replace(/\n \* ?/g, "\n").trim();
  const startsWithDoc = body.startsWith("/**");
  if (!startsWithDoc && headText) body = `${A.head.trimEnd()}\n${body}`;
  const rest = needFirst ? `${body}\n\n${B.rest}` : `${B.rest}\n\n${body}`;
  const text = `${B.head}${importText}\n\n${rest}\n`;
  try { parse(text, b); } catch (e) { console.error("bad merge", a, "->", b, e.message); return false; }
  if (/ClassDeclaration/.test("") ) return false;
  console.log(`${a} (${lines(fa.text)}) -> ${b} (${lines(fb.text)})${needFirst ? " first" : ""}${outside.size ? " outside:" + [...outside].join(" ") : ""}`);
  merged++;
  if (DRY) { files.delete(a); return true; }
  writeFileSync(b, text);
  // rewrite other importers
  for (const [p, i] of imps) if (p !== b) {
    const f = files.get(p); let spec = relative(dirname(p), b); if (!spec.startsWith(".")) spec = "./" + spec;
    // if p already imports b, merge would duplicate: keep two statements unless linter complains
    const fresh = readFileSync(p, "utf8").replace(new RegExp(`from "${i.spec.replace(/[.\\/]/g, "\\$&")}"`, "g"), `from "${spec}"`);
    writeFileSync(p, fresh); load(p);
  }
  execFileSync("git", ["rm", "-qf", "--cached", a]); execFileSync("rm", [a]);
  files.delete(a); load(b);
  return true;
}
let again = true;
while (again) {
  again = false;
  const list = [...files.keys()].filter((p) => FOLDERS.some((f) => p.startsWith(f + "/"))).sort((x, y) => lines(files.get(x).text) - lines(files.get(y).text));
  for (const a of list) if (files.has(a) && tryMerge(a)) again = true;
}
console.log("merged", merged);
