/** A style rule list with all the fields that the specification promises. A client does without most of them; a fake does not. */
import type * as StyleRulesApi from "@effect-lingua/core/style-rules/StyleRulesApi"

export interface WholeList extends Required<StyleRulesApi.StyleRuleList> {}

export const isWhole = (list: StyleRulesApi.StyleRuleList): list is WholeList =>
  list.creationTime !== undefined && list.updatedTime !== undefined && list.language !== undefined &&
  list.version !== undefined && list.configuredRules !== undefined && list.customInstructions !== undefined
