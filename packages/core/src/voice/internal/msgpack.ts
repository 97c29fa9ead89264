// Loaded only for sessions in MessagePack. Imported statically here, because some bundlers give a dynamic import of a CommonJS package no names.
export { decode, encode } from "@msgpack/msgpack"
