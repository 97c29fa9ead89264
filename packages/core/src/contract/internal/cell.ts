/**
 * A reference that is dropped at the end of its content, for places that outlive it: the entries of contexts, which V8 allocates among the old objects
 * as those of layers are, and the table that a set leaves behind when it grows. Old objects keep what they refer to until a full
 * collection, with all that it refers to, so that the collections of young objects would copy whole calls. A class, as V8 may allocate literals among the old objects too.
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
