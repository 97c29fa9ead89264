export * as DocumentsModel from "./DocumentsModel.ts"
export * as ModelBased from "./ModelBased.ts"
export * as StyleRulesModel from "./StyleRulesModel.ts"
