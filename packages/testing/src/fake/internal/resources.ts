import { type BadRequest, NotFound } from "@effect-lingua/core/errors/ServiceError"
import * as Result from "effect/Result"
import { notSupported } from "./answers.ts"

/** Resources by id, each visible to its owner's account only, unless shared. */
export class Resources<A> extends Map<string, A> {
  readonly #kind: string
  readonly #owners = new Map<string, string>()
  /** For each shared resource, the accounts that deleted it. Other accounts still see the resource. */
  readonly #shared = new Map<string, Set<string>>()

  constructor(kind: string) {
    super()
    this.#kind = kind
  }

  add(account: string, id: string, resource: A, isShared = false): void {
    this.#owners.set(id, account)
    if (isShared) this.#shared.set(id, new Set())
    this.set(id, resource)
  }

  override delete(id: string): boolean {
    this.#owners.delete(id)
    this.#shared.delete(id)
    return super.delete(id)
  }

  /** Deletes a resource. A shared resource is only hidden from this account. */
  remove(account: string, id: string): void {
    const removed = this.#shared.get(id)
    if (removed === undefined) this.delete(id)
    else removed.add(account)
  }

  /** Deletes an account's resources. The account sees all shared resources again. */
  forget(account: string): void {
    for (const removed of this.#shared.values()) removed.delete(account)
    for (const [id, owner] of this.#owners) if (owner === account && !this.#shared.has(id)) this.delete(id)
  }

  ownerOf(id: string): string | undefined {
    return this.#owners.get(id)
  }

  lookUp(account: string, id: string): A | undefined {
    const removed = this.#shared.get(id)
    const isVisible = removed === undefined ? this.ownerOf(id) === account : !removed.has(account)
    return isVisible ? this.get(id) : undefined
  }

  find(account: string, id: string): Result.Result<A, NotFound> {
    const resource = this.lookUp(account, id)
    return resource === undefined ? this.absent() : Result.succeed(resource)
  }

  absent(): Result.Result<never, NotFound> {
    return Result.fail(new NotFound({ description: `${this.#kind} not found` }))
  }

  /** An account's resources, shared resources last. */
  owned(account: string): ReadonlyArray<A> {
    const all = Array.from(this).filter(([id]) => this.lookUp(account, id) !== undefined)
    const unshared = all.filter(([id]) => !this.#shared.has(id))
    return [...unshared, ...all.filter(([id]) => this.#shared.has(id))].map(([, resource]) => resource)
  }
}

/** A page of a list, by default of 10 items. */
export const pageOf = <A>(
  list: ReadonlyArray<A>,
  { page = 0, pageSize }: { readonly page?: number; readonly pageSize?: number },
  maxSize: number
): Result.Result<ReadonlyArray<A>, BadRequest> => {
  const size = pageSize ?? Math.min(10, maxSize)
  if (page < 0) return notSupported("page")
  if (size < 1 || size > maxSize) return notSupported("page_size")
  return Result.succeed(list.slice(page * size, (page + 1) * size))
}
