// Generates the API reference from the sources as Markdown: one page for each public module.
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import {
  Application,
  Comment,
  type Context,
  Converter,
  DeclarationReflection,
  IntrinsicType,
  ReferenceType,
  ReflectionKind,
  type TypeDocOptions
} from "typedoc"
import type { PluginOptions } from "typedoc-plugin-markdown"
import ts from "typescript"

const root = join(import.meta.dirname, "../..")

/** The signatures of a method, as code. */
const signaturesOf = (context: Context, method: ts.Symbol, declaration: ts.Node): string =>
  context.checker.getTypeOfSymbolAtLocation(method, declaration).getCallSignatures().map((signature) =>
    method.name + context.checker.signatureToString(
      signature,
      declaration,
      ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope
        | ts.TypeFormatFlags.WriteArrayAsGenericType
    )
  ).join("\n\n")

/** Adds the methods of a service to its class, because the base class has them only as a type parameter. */
const addMethods = (context: Context, reflection: DeclarationReflection): void => {
  if (reflection.kind !== ReflectionKind.Class) return
  const symbol = context.getSymbolFromReflection(reflection)
  const declaration = symbol?.declarations?.find(ts.isClassDeclaration)
  if (symbol === undefined || declaration === undefined) return
  const { checker } = context
  const service = checker.getDeclaredTypeOfSymbol(symbol).getProperty("Service")
  if (service === undefined) return
  delete reflection.extendedTypes
  const scope = context.withScope(reflection)
  for (const property of checker.getTypeOfSymbolAtLocation(service, declaration).getProperties()) {
    context.converter.convertSymbol(scope, property)
    const method = reflection.children?.find(({ name }) => name === property.name)
    if (!(method?.type instanceof ReferenceType)) continue
    const signatures = signaturesOf(context, property, declaration)
    if (signatures === "") continue
    method.comment ??= new Comment()
    method.comment.summary.unshift({ kind: "code", text: `\`\`\`ts\n${signatures}\n\`\`\`` }, {
      kind: "text",
      text: "\n\n"
    })
  }
}

/** The signatures of each member of the promise client, because the member's type only refers to the Effect service. */
const promised = new Map<DeclarationReflection, ReadonlyMap<string, string>>()

const notePromises = (context: Context, reflection: DeclarationReflection): void => {
  if (reflection.kind !== ReflectionKind.Interface || reflection.name !== "Lingua") return
  const symbol = context.getSymbolFromReflection(reflection)
  const declaration = symbol?.declarations?.find(ts.isInterfaceDeclaration)
  if (symbol === undefined || declaration === undefined) return
  const members = context.checker.getDeclaredTypeOfSymbol(symbol).getProperties().map((member) => {
    const type = context.checker.getTypeOfSymbolAtLocation(member, declaration)
    const methods = type.getCallSignatures().length > 0 ? [] : type.getProperties()
    const signatures = methods.map((method) => signaturesOf(context, method, declaration))
    return [member.name, signatures.filter((text) => text !== "").join("\n\n")] as const
  })
  promised.set(reflection, new Map(members))
}

const addPromises = (): void => {
  for (const [{ children = [] }, members] of promised) {
    for (const child of children) {
      const signatures = members.get(child.name) ?? ""
      if (signatures === "") continue
      child.type = new IntrinsicType("object")
      delete child.defaultValue
      child.comment = new Comment([{ kind: "code", text: `\`\`\`ts\n${signatures}\n\`\`\`` }])
    }
  }
}

/** Removes constructors of service classes, because programs use these classes only as keys. */
const removeConstructors = ({ project }: Context): void => {
  for (const reflection of project.getReflectionsByKind(ReflectionKind.Constructor)) {
    if (reflection.parent instanceof DeclarationReflection && reflection.parent.extendedTypes === undefined) {
      project.removeReflection(reflection)
    }
  }
}

/** Converts a source path to a page: `packages/core/src/texts/Writing` to `core/texts/Writing`. */
const moved = (path: string) => path.replace(/^\w+\/(\w+)\/src\//, "$1/")

/** The page of a generated file. TypeDoc writes a module with a namespace as a folder, but a namespace is part of its module's page. */
const pageFileOf = (file: string) => file.replace(/\/(?:README|namespaces\/.+)\.md$/, ".md")

/** A module's documentation: the first comment of its file. */
const introductionOf = (file: string): string => {
  const source = readFileSync(join(root, file.replace(/md$/, "ts")), "utf8")
  const [, comment = ""] = /^(?:\/\/\/.*\n)*\/\*\*\n([^]*?) \*\//.exec(source) ?? []
  return comment
    .replace(/^ \* ?/gm, "")
    .replace(/^@since .+\n/m, "")
    .replace(/\{@link (\S+?)\}/g, "`$1`")
    .replaceAll("```ts import.meta.vitest", "```ts")
    .trim()
}

const methodId = (name: string) => `method-${name.toLowerCase()}`

/** Converts TypeDoc's Markdown to the page of a module. */
const pageOf = (file: string, text: string, introduction: string): string =>
  text
    .replace(/^# \w+\/(\w+)\/src\/(.+)$/m, (_, ...names) => `# ${names[0]}/${names[1]}\n\n${introduction}`)
    .replace(/(?:\\?_){2}namedParameters|parameters_0/g, "options")
    // The signature contains the return type.
    .replace(/^#{4,6} Returns\n\n.+\n+(?=#|\*\*\*$|$(?![^]))/gm, "")
    .replace(/^#{4,6} Inherited from\n\n`Operations\.service.+\n+/gm, "")
    .replace(/^#{4,6} (Inherited from|Overrides)\n\n(.+)$/gm, "$1 $2.")
    .replace(/^#{4,6} ((?:Type )?Parameters|Call Signature|Extends|Extended by)$/gm, "**$1**")
    .replace(/^## services\n[^]*?(?=^## |$(?![^]))/m, (services) => {
      const ids = new Set<string>()
      return services
        .replace(/^#### Properties$/gm, "#### Members")
        // A method can share its name with a type or with a static member of the class.
        .replace(/^##### (?:~~)?(\w+)(?:~~)?$/gm, (heading, name: string) => {
          const id = methodId(name)
          if (ids.has(id)) return heading
          ids.add(id)
          return `${heading} {#${id}}`
        })
    })
    // A schema and its type share a name; links lead to the first heading with this name.
    .replace(/(\]\([\w./-]*#\w+)-\d+\)/g, "$1)")
    .replace(
      /(\]\()([\w./-]+)\.md((?:#[\w-]+)?\))/g,
      (_, before: string, link: string, after: string) =>
        `${before}/api/${moved(pageFileOf(posix.join(posix.dirname(file), `${link}.md`))).replace(/\.md$/, "")}${after}`
    )

export interface Module {
  /** The path of the module's page below `api`. */
  readonly name: string
  /** The first sentence of the module's documentation. */
  readonly summary: string
  readonly text: string
}

export const makeReference = async (): Promise<ReadonlyArray<Module>> => {
  const out = mkdtempSync(join(tmpdir(), "reference-"))
  const options: TypeDocOptions & Partial<PluginOptions> = {
    entryPoints: globSync(join(root, "{packages,extensions}/!(cli)/src/**/{[A-Z]*,promise}.ts"), {
      // Modules for extensions are omitted, because authors of extensions read the sources.
      exclude: (file) => file.includes("internal") || /(?:^|\/)(?:extension|Checks\.ts)$/.test(file)
    }),
    tsconfig: join(import.meta.dirname, "tsconfig.api.json"),
    plugin: [fileURLToPath(import.meta.resolve("typedoc-plugin-markdown"))],
    out,
    router: "module",
    readme: "none",
    excludeExternals: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeTags: ["@since"],
    categoryOrder: ["services", "layers", "constructors", "models", "options", "errors", "*", "schemas", "Other"],
    // This repository's compiler, a newer version of TypeScript, checks the sources.
    skipErrorChecking: true,
    disableSources: true,
    hideBreadcrumbs: true,
    hidePageHeader: true,
    parametersFormat: "table",
    typeDeclarationVisibility: "compact",
    logLevel: "Error"
  }
  const app = await Application.bootstrapWithPlugins(options)
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, addMethods)
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, notePromises)
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, removeConstructors)
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, addPromises)
  const project = await app.convert()
  if (project === undefined) throw new Error("the reference could not be made")
  await app.generateOutputs(project)
  if (app.logger.hasErrors()) throw new Error("the reference could not be written")
  const files = globSync("**/*.md", { cwd: out }).filter((file) => file !== "README.md").toSorted()
  const modules = Array.from(Map.groupBy(files, pageFileOf), ([module, parts]) => {
    const introduction = introductionOf(module)
    const texts = parts.map((file) => pageOf(file, readFileSync(join(out, file), "utf8"), introduction))
    return {
      name: moved(module).replace(/\.md$/, ""),
      summary: /^[^]*?[.](?=\s|$)/.exec(introduction)?.[0].replace(/\s+/g, " ") ?? "",
      text: texts.map((text, index) => index === 0 ? text : text.replace(/^# .+$/m, "## Namespace")).join("\n\n")
    }
  })
  rmSync(out, { recursive: true })
  return modules
}
