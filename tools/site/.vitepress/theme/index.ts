import theme from "vitepress/theme"
// oxlint-disable-next-line import/no-unassigned-import -- a style sheet has no exports
import "./style.css"

export default theme
