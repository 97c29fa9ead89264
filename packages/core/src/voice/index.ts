export * as Voice from "./Voice.ts"
export * as VoiceApi from "./VoiceApi.ts"
