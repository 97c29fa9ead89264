#!/usr/bin/env node
import { enableCompileCache } from "node:module"

// Before all other modules are loaded: it makes the second start a third faster.
enableCompileCache()
await import("./process.ts")
