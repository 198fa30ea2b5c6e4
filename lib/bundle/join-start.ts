/**
 * Joins the files that a function loads at its start into two. esbuild writes a file of its own for
 * each set of modules that several files share, so a door with a few late imports would start with
 * twenty files. This step joins all of those that a start needs as start.mjs, from which index.mjs
 * and later files import. They do not import from index.mjs: it may wait for one of them before it
 * is evaluated, and a thread must not start the function again. Reads and writes nothing on disk.
 */
import { basename, dirname, join } from 'node:path'
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin } from 'esbuild'

export type BundleOutput = {
  readonly metafile: Metafile
  readonly outputFiles: readonly OutputFile[]
}

const INDEX = 'index.mjs'
const START = 'start.mjs'
/** Matches an import of names from another file of the bundle, in the form that esbuild writes. */
const IMPORT_PATTERN = /import\{([^}]*)\}from"\.\/([^"]*)"/g

type Outputs = Metafile['outputs']
type Output = Outputs[string]

/**
 * Lists `index.mjs` and all files that it needs before its first line runs, as paths of esbuild's
 * metafile.
 */
export function listStartFiles(outputs: Outputs): readonly string[] {
  const loaded = new Set(Object.keys(outputs).filter((path) => basename(path) === INDEX))
  // A set iterates over elements that are added during the iteration.
  for (const path of loaded) {
    for (const { kind, path: needed } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement' && outputs[needed] !== undefined) loaded.add(needed)
    }
  }
  return [...loaded]
}

/**
 * Joins the files. `built` is the output of esbuild with `splitting`; `options` are the build
 * options for writing the files again.
 */
export async function joinStart(built: BundleOutput, options: BuildOptions): Promise<BundleOutput> {
  const { outputs } = built.metafile
  const [index = '', ...parts] = listStartFiles(outputs)
  if (parts.length === 0) return built
  const others = Object.keys(outputs).filter(
    (path) => path.endsWith('.mjs') && !parts.includes(path),
  )
  const bundle: Bundle = { built, parts, options }
  const importedNames = new Map(others.map((path) => [path, listImportedNames(bundle, path)]))
  const names = new Set([...importedNames.values()].flatMap((of) => [...of]))
  const start = join(dirname(index), START)
  const files = await Promise.all([
    rewrite(bundle, start, { contents: toStartText(bundle, names), names: undefined }),
    ...others.map((path) =>
      rewrite(bundle, path, { contents: readText(bundle, path), names: importedNames.get(path) }),
    ),
  ])
  return {
    outputFiles: files.flatMap(({ outputFiles }) => outputFiles),
    metafile: {
      inputs: built.metafile.inputs,
      outputs: Object.fromEntries(
        files.map(({ bytes, path }) => [path, describeOutput(bundle, start, { path, bytes })]),
      ),
    },
  }
}

type Bundle = {
  readonly built: BundleOutput
  /** The files that become start.mjs. */
  readonly parts: readonly string[]
  readonly options: BuildOptions
}

type Rewriting = {
  readonly contents: string
  /**
   * The names that the file imports from start.mjs; undefined for start.mjs itself, which contains
   * the parts.
   */
  readonly names: ReadonlySet<string> | undefined
}

async function rewrite(bundle: Bundle, path: string, { contents, names }: Rewriting) {
  const folder = dirname(bundle.built.outputFiles[0]?.path ?? '')
  const { outputFiles } = await build({
    ...bundle.options,
    stdin: { contents, resolveDir: folder, sourcefile: `joined-${basename(path)}` },
    outfile: join(folder, basename(path)),
    write: false,
    metafile: false,
    plugins: [toJoinPlugin(bundle, folder, names)],
  })
  const code = outputFiles.find((file) => file.path.endsWith('.mjs'))
  return { path, bytes: code?.contents.length ?? 0, outputFiles }
}

function toJoinPlugin(bundle: Bundle, folder: string, names: Rewriting['names']): Plugin {
  const findPart = (file: string) => bundle.parts.find((path) => basename(path) === basename(file))
  return {
    name: 'joining',
    setup: ({ onLoad, onResolve }) => {
      onResolve({ filter: /^\.\// }, ({ kind, namespace, path }) => {
        const part = kind === 'import-statement' ? findPart(path) : undefined
        if (part === undefined || namespace === 'from-start') return { path, external: true }
        const isInside = names === undefined || isHelper(bundle, part)
        return isInside ? { path: join(folder, path) } : { path, namespace: 'from-start' }
      })
      onLoad({ filter: /./, namespace: 'file' }, ({ path }) => ({
        contents: readText(bundle, findPart(path) ?? ''),
      }))
      onLoad({ filter: /./, namespace: 'from-start' }, ({ path }) => ({
        contents: toExports(bundle, findPart(path) ?? '', START, ({ name, outside }) =>
          names?.has(outside) === true ? `${outside} as ${name}` : undefined,
        ),
      }))
    },
  }
}

/**
 * Tells whether a file has only helper functions of esbuild. Each file gets its own copy, because
 * they keep no state.
 */
function isHelper({ built }: Bundle, path: string): boolean {
  return Object.keys(built.metafile.outputs[path]?.inputs ?? {}).length === 0
}

/**
 * Returns the text of a file with its source map, which esbuild carries over, and without the
 * banner, which esbuild adds again.
 */
function readText({ built, options }: Bundle, path: string): string {
  const of = (name: string) => built.outputFiles.find((file) => basename(file.path) === name)?.text
  const text = of(basename(path)) ?? ''
  const map = of(`${basename(path)}.map`)
  const banner = options.banner?.['js'] ?? ''
  // The banner's line stays empty, because the map counts lines.
  const bare = text.startsWith(banner) ? text.slice(banner.length) : text
  if (map === undefined) return bare
  const inline = Buffer.from(map).toString('base64')
  return `${bare}\n//# sourceMappingURL=data:application/json;base64,${inline}`
}

/**
 * Returns the text of start.mjs: it exports the names that other files import from the parts. All
 * parts are evaluated, in their order.
 */
function toStartText(bundle: Bundle, names: ReadonlySet<string>): string {
  return bundle.parts
    .flatMap((path) => [
      `import './${basename(path)}'`,
      toExports(bundle, path, basename(path), ({ name, outside }) =>
        names.has(outside) ? `${name} as ${outside}` : undefined,
      ),
    ])
    .join('\n')
}

type Exported = { readonly name: string; readonly outside: string }

/**
 * Returns an `export … from` for the exports of a part. `outside` is the name of an export in
 * start.mjs.
 */
function toExports(
  { built, parts }: Bundle,
  path: string,
  from: string,
  clause: (exported: Exported) => string | undefined,
): string {
  const names = built.metafile.outputs[path]?.exports ?? []
  const at = parts.indexOf(path)
  const clauses = names.flatMap((name) => clause({ name, outside: `${name}$${at}` }) ?? [])
  return clauses.length === 0 ? '' : `export {${clauses.join(', ')}} from './${from}'`
}

/** Returns the names that a file imports from the parts, as start.mjs names them. */
function listImportedNames(bundle: Bundle, path: string): ReadonlySet<string> {
  const { built, parts } = bundle
  const text = built.outputFiles.find((file) => basename(file.path) === basename(path))?.text ?? ''
  const importedNames = [...text.matchAll(IMPORT_PATTERN)].flatMap(([, names = '', from]) => {
    const part = parts.find((one) => basename(one) === from)
    if (part === undefined || isHelper(bundle, part)) return []
    return names.split(',').map((name) => `${name.split(' as ')[0]}$${parts.indexOf(part)}`)
  })
  return new Set(importedNames)
}

/** Describes a file as esbuild's metafile does; start.mjs has the inputs of all parts. */
function describeOutput(
  bundle: Bundle,
  start: string,
  { bytes, path }: { readonly path: string; readonly bytes: number },
): Output {
  const { built, parts } = bundle
  const { outputs } = built.metafile
  if (path === start) {
    const inputs = Object.assign({}, ...parts.map((part) => outputs[part]?.inputs ?? {}))
    const imports = parts.flatMap((part) => outputs[part]?.imports ?? [])
    const outside = imports.filter((one) => !parts.includes(one.path))
    return { bytes, inputs, imports: outside, exports: [] }
  }
  const imports = outputs[path]?.imports ?? []
  const ofParts = imports.filter((one) => parts.includes(one.path) && !isHelper(bundle, one.path))
  const ofStart = ofParts.slice(0, 1).map((one) => ({ ...one, path: start }))
  const outside = imports.filter((one) => !parts.includes(one.path))
  return { inputs: {}, exports: [], ...outputs[path], bytes, imports: [...ofStart, ...outside] }
}
