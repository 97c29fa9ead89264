/** The style of the live view: light and dark, and narrow screens. */
export const style = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); --ok: #2a7d4f; --bad: #b3261e; --wait: #b07a00 }
@media (prefers-color-scheme: dark) { :root { --ok: #67c295; --bad: #ff8a80; --wait: #e6b84c } }
* { box-sizing: border-box }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 75rem; padding: 1rem }
h1 { font-size: 1.3rem; margin: 0 } h2 { font-size: 1rem; margin: 1.2rem 0 .4rem } h3 { font-size: .9rem; margin: 0 } p { margin: .3rem 0 }
form, p { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; margin-bottom: .5rem }
header p { gap: .3rem } label { display: flex; flex-direction: column; font-size: .8rem; min-width: 0 }
input, select, button { font: inherit; font-size: .9rem; height: 2rem; padding: 0 .5rem; max-width: 100% } input { width: 5rem } select { max-width: 18rem }
:focus-visible { outline: 2px solid #4c8dff; outline-offset: 2px }
#problem { color: var(--bad) } ul { margin: .2rem 0; padding-left: 1.2rem; overflow-wrap: anywhere } ul:empty { display: none }
.wide { overflow-x: auto; max-height: 24rem } table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .15rem .6rem .15rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; font-variant-numeric: tabular-nums }
.ok { color: var(--ok) } .bad { color: var(--bad) } .pending { color: var(--wait) }
.lane { display: grid; grid-template-columns: 9rem 1fr; align-items: center; border-bottom: 1px solid var(--line) }
.lane span { font-size: .8rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.track { position: relative; height: 1.6rem; overflow: hidden }
.bar, .wait { position: absolute; top: .3rem; height: 1rem; min-width: 3px; border-radius: 2px }
.bar { background: var(--ok) } .bar.bad { background: var(--bad) } .bar.pending { background: var(--wait) }
.wait, .waiting { background: repeating-linear-gradient(45deg, var(--wait) 0 3px, transparent 3px 7px) } .wait { opacity: .7 }
.scale { justify-content: space-between; padding-left: 9rem; font-size: .8rem } .scale b { display: inline-block; width: .8rem; height: .7rem }
.scale .ok { background: var(--ok) } .scale .bad { background: var(--bad) }
.state { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: .5rem 1.5rem }
@media (max-width: 40rem) { .lane { grid-template-columns: 5.5rem 1fr } select { max-width: 11rem } table { font-size: .8rem } .scale { padding-left: 0 } }
`
