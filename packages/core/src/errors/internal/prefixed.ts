/** Environment variables with a client's prefix. */
import * as Config from "effect/Config"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"

export const prefixed = (prefix: string | undefined, name: string): string =>
  prefix === undefined ? name : `${prefix}_${name}`

/** Makes a function that reads the variable of a required option. The error names all missing variables. */
export const required = (prefix: string | undefined, options: object, names: Readonly<Record<string, string>>) => {
  const variables = Record.map(names, (name) => prefixed(prefix, name))
  const found = Config.all(Record.map(variables, (variable) => Config.option(Config.String(variable))))
  return (option: string): Config.Config<string> =>
    Config.flatMap(found, (values) => {
      const known = Record.getSomes(values)
      const missing = Object.keys(names).filter((name) =>
        known[name] === undefined && Reflect.get(options, name) === undefined
      )
      const [are, them, s] = missing.length > 1 ? ["are", "them", "s"] : ["is", "it", ""]
      const unset = missing.map((name) => variables[name]).join(" and ")
      const message = `${unset} ${are} not set: set ${them}, or pass the option${s} ${missing.join(" and ")}`
      return known[option] === undefined
        ? Config.schema(Schema.String.annotate({ message }), variables[option])
        : Config.succeed(known[option])
    })
}
