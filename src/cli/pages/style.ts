/** The look of the pages: light and dark by the reader's setting, two columns where there is room, readable on paper. */

export const STYLE = `
:root { color-scheme: light dark;
  --ground: light-dark(#fbfaf7, #15171a); --card: light-dark(#ffffff, #1d2024); --ink: light-dark(#1c1f23, #e6e4df);
  --soft: light-dark(#5d6470, #9aa1ac); --line: light-dark(#e4e1d9, #30353c); --code: light-dark(#f4f2ec, #24282e);
  --kept: light-dark(#2f6db5, #6ea8ec); --shortened: light-dark(#0d8a78, #45c4ae); --replaced: light-dark(#b4560f, #f0a35c);
  --bad: light-dark(#b3261e, #ff8a80); --mark: light-dark(#fff3c4, #4a3f14);
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.55 var(--sans); }
main { max-width: 78rem; margin: 0 auto; padding: 2.5rem 1.5rem 4rem; }
header .eyebrow { color: var(--soft); font-size: .8rem; letter-spacing: .08em; text-transform: uppercase; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: .2rem 0 .4rem; overflow-wrap: anywhere; text-wrap: balance; }
h2 { font-size: 1.15rem; margin: 2.6rem 0 .7rem; } h3 { font-size: 1rem; margin: 1.4rem 0 .5rem; }
h4 { font-size: .8rem; letter-spacing: .05em; text-transform: uppercase; color: var(--soft); margin: 1.3rem 0 .35rem; }
p { margin: .35rem 0; max-width: 46rem; } .dim { color: var(--soft); } a { color: inherit; text-decoration-color: var(--soft); text-underline-offset: .2em; }
a:hover { text-decoration-color: currentColor; } :focus-visible { outline: 2px solid var(--kept); outline-offset: 2px; border-radius: 3px; }
.skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: .4rem .8rem; }
.size { font-size: 2.5rem; line-height: 1.15; font-weight: 650; font-variant-numeric: tabular-nums; letter-spacing: -.02em; margin: 1.3rem 0 .2rem; }
.size small { font-size: 1rem; font-weight: 500; letter-spacing: 0; color: var(--soft); } .size .less { color: var(--shortened); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .8rem; margin: 1.4rem 0; }
.tiles div { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .7rem .9rem; border-top: 3px solid var(--line); }
.tiles div.kept { border-top-color: var(--kept); } .tiles div.shortened { border-top-color: var(--shortened); } .tiles div.replaced { border-top-color: var(--replaced); }
.tiles b { display: block; font-size: 1.45rem; line-height: 1.3; font-variant-numeric: tabular-nums; } .tiles span { color: var(--soft); font-size: .87rem; }
figure.picture { margin: 1.6rem 0 0; } figure.picture figcaption { display: flex; flex-wrap: wrap; gap: .3rem 1.3rem; color: var(--soft); font-size: .87rem; margin-top: .5rem; }
.ends { display: flex; justify-content: space-between; color: var(--soft); font-size: .87rem; font-variant-numeric: tabular-nums; margin: .25rem 0; }
svg { display: block; width: 100%; height: auto; } svg .rail { fill: var(--line); opacity: .45; } svg .ribbon { opacity: .22; } svg a:hover .ribbon, svg a:focus .ribbon { opacity: .5; }
svg .kept { fill: var(--kept); } svg .shortened { fill: var(--shortened); } svg .replaced { fill: var(--replaced); }
svg text { fill: var(--soft); font: 12px var(--sans); } svg .grid { stroke: var(--line); } svg .was { fill: none; stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 4 4; }
svg .area { fill: var(--kept); opacity: .2; } svg .sent { fill: none; stroke: var(--kept); stroke-width: 2.2; } svg .limit { stroke: var(--bad); stroke-dasharray: 2 4; } svg .cut { stroke: var(--replaced); }
.key::before { content: ""; display: inline-block; width: .75rem; height: .75rem; border-radius: 3px; margin-right: .4rem; vertical-align: -.06rem; background: var(--line); }
.key.kept::before { background: var(--kept); } .key.shortened::before { background: var(--shortened); } .key.replaced::before { background: var(--replaced); }
.card + .card { margin-top: .8rem; } .card { background: var(--card); border: 1px solid var(--line); border-radius: .7rem; padding: .4rem 1.3rem 1.1rem; }
.handoff { overflow-wrap: anywhere; } .handoff ul { margin: .2rem 0; padding-left: 1.15rem; } .handoff li { margin: .25rem 0; max-width: 50rem; } .handoff li.step { list-style: decimal; } .handoff figure { margin: .5rem 0; } .handoff figcaption { color: var(--soft); font-size: .85rem; }
.cites { color: var(--soft); font-size: .85em; font-variant-numeric: tabular-nums; }
code, pre { font-family: var(--mono); font-size: .83rem; } code { background: var(--code); border-radius: .25rem; padding: .05rem .3rem; overflow-wrap: anywhere; }
pre { background: var(--code); border-radius: .4rem; padding: .6rem .8rem; margin: .4rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.45; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; } th { text-align: left; font-weight: 550; color: var(--soft); font-size: .87rem; }
td.wide { white-space: normal; } th, td { padding: .38rem 1rem .38rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; } td:first-child { white-space: nowrap; } td.number, th.number { text-align: right; white-space: nowrap; }
.scroll { overflow-x: auto; } .bar { height: .5rem; margin-top: .45rem; } .bar rect { fill: var(--kept); }
.row { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 1.2rem; border-top: 1px solid var(--line); padding: .8rem 0 1rem .8rem; border-left: 3px solid var(--line); }
.row.kept { border-left-color: var(--kept); } .row.shortened { border-left-color: var(--shortened); } .row.replaced { border-left-color: var(--replaced); }
.row > h3 { grid-column: 1 / -1; margin: 0 0 .4rem; font-size: .87rem; color: var(--soft); font-weight: 550; font-variant-numeric: tabular-nums; }
.row .after { align-self: start; position: sticky; top: .8rem; max-height: calc(100vh - 1.6rem); overflow-y: auto; }
.heads { display: grid; grid-template-columns: 1fr 1fr; gap: 1.2rem; padding-left: .8rem; font-weight: 650; margin-bottom: .3rem; }
article { border-radius: .4rem; padding: .25rem .4rem; margin: 0 -.4rem; } article:target, .row:target, .place:target { background: var(--mark); outline: 2px solid var(--mark); }
article .head { display: flex; gap: .6rem; align-items: baseline; font-size: .87rem; } article .head b { font-variant-numeric: tabular-nums; min-width: 2.2rem; } article .head .end { margin-left: auto; color: var(--soft); white-space: nowrap; font-variant-numeric: tabular-nums; }
summary { cursor: pointer; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: var(--ink); font-size: .87rem; } summary::marker { color: var(--soft); } details[open] > summary { color: var(--soft); }
.tag { font-size: .75rem; border: 1px solid currentColor; border-radius: 1rem; padding: 0 .5rem; color: var(--soft); white-space: nowrap; } .tag.warn { color: var(--replaced); }
footer { margin-top: 3rem; color: var(--soft); font-size: .85rem; border-top: 1px solid var(--line); padding-top: .9rem; }
@media (max-width: 46rem) { main { padding: 1.4rem 1rem 3rem; } .row, .heads { grid-template-columns: minmax(0, 1fr); } .row .after { position: static; max-height: none; border-left: 2px dashed var(--line); padding-left: .8rem; margin-top: .5rem; } .size { font-size: 1.8rem; } .heads { display: none; } }
@media print { .row .after { position: static; max-height: none; overflow: visible; } body { background: none; } }
`;
