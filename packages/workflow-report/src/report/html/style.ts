/** Of the report's page. Every text stands out from what is behind it by at least 4.5:1, in light and in dark. */
export const REPORT_STYLE = `:root{color-scheme:light dark;--page:#fff;--box:#f6f8fa;--line:#d0d7de;--text:#1f2328;--quiet:#59636e;--link:#0969da;--good:#1a7f37;--bad:#cf222e;--warn:#9a6700;--new:#dafbe1;--gone:#ffebe9;--changed:#fff8c5;--bar:#54aeff}
@media (prefers-color-scheme:dark){:root{--page:#0d1117;--box:#161b22;--line:#3d444d;--text:#e6edf3;--quiet:#9198a1;--link:#4493f8;--good:#3fb950;--bad:#f85149;--warn:#d29922;--new:#12391f;--gone:#4b1b1b;--changed:#3a2f0b;--bar:#1f6feb}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1080px;padding:24px 20px 64px;background:var(--page);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;overflow-wrap:anywhere}
h1{font-size:26px;line-height:1.25;margin:0 0 4px}
h2{font-size:18px;margin:36px 0 10px;padding-bottom:6px;border-bottom:1px solid var(--line)}
h3{font-size:15px;margin:24px 0 8px}
h4{font-size:13px;margin:18px 0 6px;color:var(--quiet);font-weight:600}
a{color:var(--link)}
nav{display:flex;flex-wrap:wrap;gap:4px 16px}
section,.inside{scroll-margin-top:16px}
code,.data{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.88em}
.small{font-size:13px;color:var(--quiet);margin:6px 0}
.bad{color:var(--bad)}
.state,.mark{display:inline-block;font-size:12px;font-weight:600;line-height:1.5;padding:0 8px;border:1px solid currentColor;border-radius:10px;vertical-align:middle;color:var(--quiet)}
.state.end{color:var(--good)}
.state.failed,.state.killed,.state.stuck,.mark.bad{color:var(--bad)}
.state.waiting{color:var(--warn)}
.state.active{color:var(--link)}
.mark{font-weight:400;padding:0 6px}
.facts-list{display:grid;grid-template-columns:repeat(auto-fill,minmax(200px,1fr));gap:12px 20px;margin:20px 0;padding:14px 16px;background:var(--box);border:1px solid var(--line);border-radius:10px}
dt{font-size:12px;color:var(--quiet)}
dd{margin:0}
.wide{overflow-x:auto}
.wide>svg{display:block;max-width:none}
.text,.data{white-space:pre-wrap;tab-size:4}
.data{background:var(--box);padding:8px 10px;border-radius:6px}
td .data{padding:0;background:none}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{padding:6px 10px;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
thead th{font-size:12px;color:var(--quiet);font-weight:600}
tbody th{font-weight:600}
.output th{width:180px}
.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
tfoot th,tfoot td{font-weight:600;border-bottom:0}
.costs th{overflow-wrap:normal}
.share rect{fill:var(--bar)}
.decision th{white-space:nowrap}
.decision .target{white-space:nowrap}
.decision .value{min-width:8em}
.decision .taken th,.decision .taken td{background:var(--new)}
.output .new th{background:var(--new)}
.output .changed th{background:var(--changed)}
.output .gone th,.output .gone td{background:var(--gone)}
ins{background:var(--new);text-decoration:none}
del{background:var(--gone)}
details.step,details.thread{border:1px solid var(--line);border-radius:8px;margin:6px 0}
details.step{content-visibility:auto;contain-intrinsic-size:auto 44px}
details.step>summary,details.thread>summary{display:flex;flex-wrap:wrap;align-items:baseline;gap:2px 8px;padding:8px 12px;cursor:pointer;list-style:none}
details.step>summary::-webkit-details-marker,details.thread>summary::-webkit-details-marker{display:none}
details.step>summary::before,details.thread>summary::before{content:"\u25b8";color:var(--quiet)}
details.step[open]>summary::before,details.thread[open]>summary::before{content:"\u25be"}
details.step[open]>summary,details.thread[open]>summary{border-bottom:1px solid var(--line);background:var(--box);border-radius:8px 8px 0 0}
summary:focus-visible,a:focus-visible{outline:2px solid var(--link);outline-offset:2px}
details.long>summary{cursor:pointer;color:var(--quiet)}
.inside{padding:4px 14px 14px}
.n{min-width:1.5em;color:var(--quiet);font-variant-numeric:tabular-nums}
.said{flex:1 1 14em;min-width:0;color:var(--quiet)}
.facts{margin-left:auto;color:var(--quiet);font-size:13px}
.failure{border-left:3px solid var(--bad);padding:2px 0 2px 12px;margin:8px 0}
.failure p{margin:4px 0}
.timeline text{font-size:12px;fill:var(--text);text-anchor:end;dominant-baseline:central}
.timeline line{stroke:var(--line)}
.timeline .gap rect{fill:var(--box)}
.timeline .step{fill:var(--bar)}
.timeline .failure{fill:var(--bad)}
.timeline .answer{fill:var(--warn)}
.timeline a:focus rect,.timeline a:hover rect{opacity:.75}
@media (max-width:640px){body{padding:16px 12px}.facts{margin-left:0}.output th{width:auto}}
@media print{body{max-width:none;padding:0}nav{display:none}details::details-content{content-visibility:visible;display:block}details.step{content-visibility:visible}.wide{overflow:visible}.wide>svg{max-width:100%;height:auto}}
`;
