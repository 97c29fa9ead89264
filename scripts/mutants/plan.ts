/** What the runner of tests knows of the mutants. */
export interface Plan {
  /** How the runner notes that a file is done. */
  readonly done: string
  /** Tests that take longer, in seconds, have a process for each mutant, later. */
  readonly longest: number
  /** How long the tests of other rooms try a mutant, in seconds. */
  readonly seconds: number
  /** Where the tests of the room of each mutant are. */
  readonly own: Readonly<Record<string, ReadonlyArray<string>>>
}
