/** What the error classes of this package have in common when they are printed. */
import type * as Cause from "effect/Cause"
import { NodeInspectSymbol } from "effect/Inspectable"

/** Makes the JSON of an error class begin with the message, and its print in Node.js with the stack. `Base` is the base that the class extends. */
// oxlint-disable-next-line typescript/no-explicit-any -- TypeScript asks for it in a function that extends its parameter
export const messageFirst = <Class extends new(...args: Array<any>) => Cause.YieldableError>(Base: Class): Class =>
  class extends Base {
    override toJSON(): object {
      return { message: this.message, ...Object(super.toJSON()) }
    }
    override [NodeInspectSymbol](): unknown {
      return this
    }
  }
