import { Contract } from "@effect-lingua/core"
import { Resource } from "@effect-lingua/testing"
import { Result } from "effect"
import { type Note, NotesApi } from "./Notes.ts"

const group = Contract.httpGroup(NotesApi)

declare module "@effect-lingua/testing/faults/Fault" {
  interface AddedGroups {
    readonly Notes: typeof group
  }
}

const notes = Resource.kept<Note>("Note")

const resource = Resource.make(group, (handlers) =>
  handlers.handleAll({
    create: ({ payload: { text } }) =>
      Resource.step((_now, { account, fake, note: request }) => {
        const noteId = fake.store.ids.uuid()
        notes(fake).add(account, noteId, { noteId, text })
        Resource.tookEffect(fake, request, noteId)
        return Result.succeed({ noteId, text })
      }),
    get: ({ params: { noteId } }) => Resource.step((_now, { account, fake }) => notes(fake).find(account, noteId))
  }), { scope: "notes" })

export const resources = [resource]
