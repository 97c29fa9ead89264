/** Resources that belong to accounts. */
import { type BadRequest, NotFound } from "@effect-lingua/core/errors/ServiceError"
import * as Result from "effect/Result"
import { notSupported } from "./answers.ts"

/** The resources of one kind by id. To a key of another account than that of their owner they do not exist. */
export class Resources<A> extends Map<string, A> {
  readonly #kind: string
  readonly #owners = new Map<string, string>()

  constructor(kind: string) {
    super()
    this.#kind = kind
  }

  add(account: string, id: string, resource: A): void {
    this.#owners.set(id, account)
    this.set(id, resource)
  }

  ownerOf(id: string): string | undefined {
    return this.#owners.get(id)
  }

  /** A resource of an account, if there is one. */
  lookUp(account: string, id: string): A | undefined {
    return this.ownerOf(id) === account ? this.get(id) : undefined
  }

  /** A resource of an account, or the refusal of the service. */
  find(account: string, id: string): Result.Result<A, NotFound> {
    const resource = this.lookUp(account, id)
    return resource === undefined ? this.absent() : Result.succeed(resource)
  }

  /** The refusal of the service for a resource that does not exist. */
  absent(): Result.Result<never, NotFound> {
    return Result.fail(new NotFound({ description: `${this.#kind} not found` }))
  }

  /** All resources of an account. */
  owned(account: string): ReadonlyArray<A> {
    return Array.from(this).flatMap(([id, resource]) => this.ownerOf(id) === account ? [resource] : [])
  }
}

/** A page of a list, or the refusal of one that cannot be. It has 10 items by default. */
export const pageOf = <A>(
  list: ReadonlyArray<A>,
  { page = 0, pageSize }: { readonly page?: number; readonly pageSize?: number },
  most: number
): Result.Result<ReadonlyArray<A>, BadRequest> => {
  const size = pageSize ?? Math.min(10, most)
  if (page < 0) return notSupported("page")
  if (size < 1 || size > most) return notSupported("page_size")
  return Result.succeed(list.slice(page * size, (page + 1) * size))
}
