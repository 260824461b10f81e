//! What this page adds to the style sheet that it shares with the page of `cloth verify`.

/// Charts, legends, folded blocks and warnings.
pub(super) const STYLE: &str = "
nav{display:flex;flex-wrap:wrap;gap:4px 18px;margin:0 0 8px;font-size:15px}
h2{margin:36px 0 4px}section h3.scene{font-size:20px;text-transform:none;letter-spacing:0;color:var(--ink);margin:0}
.scroll{margin-top:10px}.scroll:focus-visible{outline:2px solid var(--run)}
section .scroll{border-radius:6px;container-type:inline-size}caption{white-space:normal}
caption span{display:block;position:sticky;left:10px;max-width:min(100ch,calc(100cqw - 24px))}
header,main,footer{max-width:1360px}
td,th{padding:6px 10px}thead th{vertical-align:bottom;white-space:normal;min-width:5.5em}tbody th{white-space:normal;min-width:11em}
td:not(.n){white-space:normal}td.bad:not(.n),td.warn:not(.n),td.ok:not(.n){min-width:12em}
tbody th{position:sticky;left:0;background:var(--card)}
.bad{color:var(--no);font-weight:600}.warn{color:var(--control);font-weight:600}.soft{color:var(--soft)}
@media(prefers-color-scheme:light){.warn{color:#8a5300}}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,400px),1fr));gap:8px 32px}
.beside{display:grid;grid-template-columns:minmax(0,7fr) minmax(0,5fr);gap:8px 32px;align-items:start;margin:8px 0 20px}
.chart{max-width:560px;width:100%;min-width:0}.chart svg{margin:2px 0 4px}.chart svg text{fill:var(--soft)}.chart svg text[fill=\"#FFFFFF\"]{fill:#fff}
svg [stroke=\"#DFE4EA\"]{stroke:var(--line)}
@media(prefers-color-scheme:dark){.chart svg text[fill=\"#FFFFFF\"]{fill:#12161c}}
.keys{list-style:none;margin:4px 0;padding:0;display:flex;flex-wrap:wrap;gap:2px 16px;font-size:13px}
.keys li{display:flex;align-items:center;gap:5px}.keys svg{width:14px;height:14px;flex:none}
.keys i{width:12px;height:12px;border-radius:3px;flex:none}
details{margin-top:8px}summary{cursor:pointer;color:var(--run);font-size:14px}details.side>summary{font-size:15px;padding:4px 0}
.warning{border-left:4px solid var(--control);background:color-mix(in srgb,var(--control) 10%,transparent);padding:8px 14px;border-radius:4px;margin:10px 0}
.provenance{font-size:13px;margin:14px 0 20px}.provenance dd{overflow-wrap:anywhere}
.download{font-size:13px}
@media(max-width:760px){header,main,footer{padding:0 12px}section{padding:14px 12px 16px}.beside{grid-template-columns:minmax(0,1fr)}
.provenance{grid-template-columns:1fr}.provenance dd{margin-bottom:4px}.tiles{grid-template-columns:repeat(2,1fr)}tbody th{min-width:8em;max-width:40vw}}
";
