/** The commands of notes, whose arguments, flags and descriptions are derived from the contract. */
import { calling, command, fromEndpoint, group, texts } from "@effect-lingua/cli/CommandLine"
import { Effect } from "effect"
import * as Notes from "./Notes.ts"

const call = calling({ layer: Notes.Notes.layer, fake: () => import("./fakeNotes.ts") })

const [newNote, noteById] = Notes.NotesApi.endpoints

const create = command("notes create", {
  ...fromEndpoint(newNote, { text: ["The text of the note"] }),
  run: (input) =>
    Effect.map(
      call(Notes.Notes.use((notes) => notes.create(input))),
      (note) => texts([note], ({ noteId }) => noteId)
    )
})

const get = command("notes get", {
  ...fromEndpoint(noteById, { noteId: ["The id of the note"] }),
  run: ({ noteId }) =>
    Effect.map(
      call(Notes.Notes.use((notes) => notes.get(noteId))),
      (note) => texts([note], ({ text }) => text)
    )
})

export const notes = group("notes", [create, get], "Notes of this account")
