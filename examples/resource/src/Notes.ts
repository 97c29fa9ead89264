/** The contract and service of notes, a fictional resource. The fake is in `fakeNotes.ts`. */
import { Contract, Service } from "@effect-lingua/core"
import { Effect, Schema } from "effect"

const { body, Endpoint, Errors, struct } = Contract

export class Note extends body<Note>()("Note", { noteId: Schema.String, text: Schema.String }) {}

const { get, post } = Endpoint.of({ error: Errors.common })

export class NotesApi extends Endpoint.group(
  "Notes",
  post("create", "/v1/notes", "Create a note", { payload: struct({ text: Schema.String }), success: Note }),
  get("get", "/v1/notes/:note_id", "Get a note", {
    params: struct({ noteId: Schema.String }),
    success: Note,
    error: [Errors.notFound]
  })
) {}

const make = Effect.map(Service.Operations.make(NotesApi), (api) => ({
  create: (payload: { readonly text: string }) =>
    api.create.create({ text: payload.text }, (record) => api.create.request(record, { payload })),
  get: (noteId: string) => api.get({ params: { noteId } })
}))

export class Notes extends Service.Operations.service<Notes>()("@effect-lingua/example-resource/Notes", make) {}
