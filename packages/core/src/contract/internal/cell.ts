/**
 * A reference that is emptied when its content has ended, for holders that outlive it.
 *
 * V8 keeps some holders among its old objects until a full collection: entries of contexts, which it allocates there because those of layers
 * stay, and the table that a set leaves behind when it grows. Everything that they refer to survives with them, so that each collection
 * of young objects would copy whole calls. It is a class because V8 allocates object literals there too, once most of them survive.
 */
export class Cell<A> {
  content: A | undefined
  constructor(content: A) {
    this.content = content
  }
  empty(): void {
    this.content = undefined
  }
}
