//! The style sheet of the project's pages: light and dark from one set of names. The page of `cloth verify` and that of `cargo xtask bench` share it.

/// Colours are named by what they mean; charts and badges use the names, so that both schemes hold together.
pub const STYLE_SHEET: &str = "
:root{color-scheme:light dark;--bg:#f6f7f9;--card:#fff;--ink:#1b2330;--soft:#5a6677;--line:#dfe4ea;--ok:#1a7f4b;
--no:#c21f2b;--run:#2467b3;--control:#d0862b;--time:#6a53b8;--s0:#2b74ad;--s1:#dfae52;--s2:#4b9f68;--s3:#8a5fb5;
--s4:#2aa5a0;--s5:#a3ad45;--s6:#c262a8;--s7:#8a94a3}
@media(prefers-color-scheme:dark){:root{--bg:#12161c;--card:#1b212a;--ink:#e6eaf0;--soft:#9aa6b6;--line:#303946;
--ok:#57c98d;--no:#ff7078;--run:#6db1f5;--control:#f0ad56;--time:#ab97f0;--s0:#4a94d0;--s7:#75808f}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.5 system-ui,'Segoe UI',Roboto,'Helvetica Neue',sans-serif;
font-variant-numeric:tabular-nums}
header,main,footer{max-width:1120px;margin:0 auto;padding:0 24px}
header{padding-top:40px}
.kicker{margin:0;color:var(--soft);font-weight:600;letter-spacing:.06em;font-size:13px;text-transform:uppercase}
h1{font-size:40px;line-height:1.15;margin:4px 0 8px;letter-spacing:-.02em}
.pass h1{color:var(--ok)}.fail h1{color:var(--no)}
.lead{max-width:68ch;color:var(--soft);margin:0 0 20px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin-bottom:24px}
.tile,section,.scroll{background:var(--card);border:1px solid var(--line);border-radius:10px}
.tile{padding:12px 16px}.tile b{display:block;font-size:26px;line-height:1.2}.tile span{color:var(--soft);font-size:13px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{padding:8px 12px;text-align:left;border-bottom:1px solid var(--line);white-space:nowrap}
thead th{color:var(--soft);font-weight:600;font-size:12px}tbody th{font-weight:400}
caption{text-align:left;padding:8px 12px;border-bottom:1px solid var(--line)}tbody tr:last-child>*{border-bottom:0}
.n{text-align:right}.bad{color:var(--no);font-weight:600}
a{color:var(--run);text-decoration:none}a:hover{text-decoration:underline}
small,.note,.sub,figcaption,footer{color:var(--soft)}.note,.sub{font-size:13px;margin:6px 2px 0}
section{padding:20px 24px 24px;margin:24px 0;scroll-margin-top:12px}
h2{margin:0;font-size:24px;display:flex;align-items:center;gap:12px}
h3{font-size:12px;font-weight:600;color:var(--soft);margin:18px 0 4px;text-transform:uppercase;letter-spacing:.05em}
.badge{font-size:13px;font-weight:600;padding:1px 9px;border-radius:99px;border:1px solid currentColor;white-space:nowrap}
.ok{color:var(--ok)}.no{color:var(--no)}
.failures{color:var(--no);margin:12px 0 0;padding:10px 14px 10px 32px;border-left:4px solid;border-radius:4px;
background:color-mix(in srgb,var(--no) 8%,transparent)}
figure{margin:16px 0 0}figcaption{font-size:13px}
.film img{display:block;width:100%;height:auto;border-radius:6px}.film figcaption{margin-top:4px}
.split{display:grid;grid-template-columns:minmax(280px,4fr) minmax(320px,6fr);gap:8px 36px}
@media(max-width:760px){.split{grid-template-columns:1fr}h1{font-size:30px}}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;margin:0;font-size:14px}
dt{color:var(--soft)}dd{margin:0}
.chart figcaption{color:var(--ink);font-weight:600;margin-bottom:4px}
.key{font-weight:400;color:var(--soft);margin-left:14px}
.key i,.legend i{display:inline-block;width:10px;height:10px;border-radius:3px;margin-right:6px}
svg{display:block;width:100%;height:auto}.grid{stroke:var(--line)}.tick{fill:var(--soft);font-size:11px}
polyline{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}
polyline.run{stroke:var(--run)}polyline.control{stroke:var(--control)}polyline.time{stroke:var(--time);stroke-width:1.5}
i.run{background:var(--run)}i.control{background:var(--control)}i.time{background:var(--time)}
.bar{display:flex;gap:2px;height:22px;border-radius:5px;overflow:hidden}
.legend{list-style:none;margin:8px 0 0;padding:0;font-size:13px;display:grid;
grid-template-columns:repeat(auto-fill,minmax(190px,1fr));gap:2px 18px}
.legend b{font-weight:600;margin:0 6px}
.s0{background:var(--s0)}.s1{background:var(--s1)}.s2{background:var(--s2)}.s3{background:var(--s3)}
.s4{background:var(--s4)}.s5{background:var(--s5)}.s6{background:var(--s6)}.s7{background:var(--s7)}
code{font-size:12px}footer{font-size:13px;padding-bottom:40px}
@media print{section{break-inside:avoid}}
";
