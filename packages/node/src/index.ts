/**
 * The journal of documents in files.
 *
 * @since 0.2.0
 */
export * as NodeDocumentJournal from "./NodeDocumentJournal.ts"

/**
 * Documents saved to files.
 *
 * @since 0.1.0
 */
export * as NodeDocuments from "./NodeDocuments.ts"

/**
 * The client for Node.js.
 *
 * @since 0.1.0
 */
export * as NodeLanguageService from "./NodeLanguageService.ts"

/**
 * Limits that a fleet shares through Redis.
 *
 * @since 0.1.0
 */
export * as NodeSharedState from "./NodeSharedState.ts"

/**
 * Translation memories imported from files and exported to files.
 *
 * @since 0.2.0
 */
export * as NodeTranslationMemories from "./NodeTranslationMemories.ts"

/**
 * Traces, metrics and logs by OTLP.
 *
 * @since 0.1.0
 */
export * as NodeTelemetry from "./NodeTelemetry.ts"
