import * as DocumentWorkflow from "@effect-lingua/workflow/DocumentWorkflow"

/** The request of a document from German to English, whose target has the name of its id. */
export const request = (id: string, source = "letter.txt") =>
  new DocumentWorkflow.DocumentRequest({ id, source, target: `${id}.txt`, fields: { targetLanguage: "en-US" } })
