/** The command line of the service, with commands for notes: `node examples/resource/src/main.ts notes --help`. */
import { runMain } from "@effect-lingua/cli/CommandLine"
import { notes } from "./notesCommands.ts"

runMain({ NOTES: [notes] })
