export * as LanguageToolkit from "./LanguageToolkit.ts"
export * as NodeMcpServer from "./NodeMcpServer.ts"
