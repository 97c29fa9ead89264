export * as Voice from "./Voice.ts"
export * as VoiceApi from "./VoiceApi.ts"
export * as VoiceMessages from "./VoiceMessages.ts"
export * as VoiceRealtime from "./VoiceRealtime.ts"
