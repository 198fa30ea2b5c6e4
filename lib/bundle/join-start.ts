/**
 * Makes two files of all that a start loads. esbuild gives what several files share a file of its own for each set of them, so
 * a door with a few late imports would start with twenty files. Here all of those that a start needs become start.mjs,
 * from which index.mjs and later files import. They do not import from index.mjs: it may wait for one of them before
 * it is evaluated, and a thread must not start the function again. Reads and writes nothing on disk.
 */
import { basename, dirname, join } from 'node:path'
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin } from 'esbuild'

export type BundleOutput = {
  readonly metafile: Metafile
  readonly outputFiles: readonly OutputFile[]
}

const INDEX = 'index.mjs'
const START = 'start.mjs'
/** An import of names from another file of the bundle, in the form in which esbuild writes it. */
const IMPORTS = /import\{([^}]*)\}from"\.\/([^"]*)"/g

type Outputs = Metafile['outputs']
type Output = Outputs[string]

/** `index.mjs` and all files that it needs before its first line runs, as paths of esbuild's metafile. */
export function filesAtStart(outputs: Outputs): readonly string[] {
  const loaded = new Set(Object.keys(outputs).filter((path) => basename(path) === INDEX))
  // A set visits what is added while it is visited.
  for (const path of loaded) {
    for (const { kind, path: needed } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement' && outputs[needed] !== undefined) loaded.add(needed)
    }
  }
  return [...loaded]
}

/** `built`: with `splitting`; `options`: how to write the files again. */
export async function joinStart(built: BundleOutput, options: BuildOptions): Promise<BundleOutput> {
  const { outputs } = built.metafile
  const [index = '', ...parts] = filesAtStart(outputs)
  if (parts.length === 0) return built
  const others = Object.keys(outputs).filter(
    (path) => path.endsWith('.mjs') && !parts.includes(path),
  )
  const bundle: Bundle = { built, parts, options }
  const taken = new Map(others.map((path) => [path, takenNames(bundle, path)]))
  const names = new Set([...taken.values()].flatMap((of) => [...of]))
  const start = join(dirname(index), START)
  const files = await Promise.all([
    rewrite(bundle, start, { contents: startText(bundle, names), names: undefined }),
    ...others.map((path) =>
      rewrite(bundle, path, { contents: fileOf(bundle, path), names: taken.get(path) }),
    ),
  ])
  return {
    outputFiles: files.flatMap(({ outputFiles }) => outputFiles),
    metafile: {
      inputs: built.metafile.inputs,
      outputs: Object.fromEntries(
        files.map(({ bytes, path }) => [path, described(bundle, start, { path, bytes })]),
      ),
    },
  }
}

type Bundle = {
  readonly built: BundleOutput
  /** What becomes start.mjs. */
  readonly parts: readonly string[]
  readonly options: BuildOptions
}

type Rewriting = {
  readonly contents: string
  /** What the file takes from start.mjs; undefined for that file itself, which holds the parts. */
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
    plugins: [joining(bundle, folder, names)],
  })
  const code = outputFiles.find((file) => file.path.endsWith('.mjs'))
  return { path, bytes: code?.contents.length ?? 0, outputFiles }
}

function joining(bundle: Bundle, folder: string, names: Rewriting['names']): Plugin {
  const partOf = (file: string) => bundle.parts.find((path) => basename(path) === basename(file))
  return {
    name: 'joining',
    setup: ({ onLoad, onResolve }) => {
      onResolve({ filter: /^\.\// }, ({ kind, namespace, path }) => {
        const part = kind === 'import-statement' ? partOf(path) : undefined
        if (part === undefined || namespace === 'from-start') return { path, external: true }
        const isInside = names === undefined || isHelper(bundle, part)
        return isInside ? { path: join(folder, path) } : { path, namespace: 'from-start' }
      })
      onLoad({ filter: /./, namespace: 'file' }, ({ path }) => ({
        contents: fileOf(bundle, partOf(path) ?? ''),
      }))
      onLoad({ filter: /./, namespace: 'from-start' }, ({ path }) => ({
        contents: exportsOf(bundle, partOf(path) ?? '', START, ({ name, outside }) =>
          names?.has(outside) === true ? `${outside} as ${name}` : undefined,
        ),
      }))
    },
  }
}

/** A few functions of esbuild, of which each file has its own: they keep nothing. */
function isHelper({ built }: Bundle, path: string): boolean {
  return Object.keys(built.metafile.outputs[path]?.inputs ?? {}).length === 0
}

/** The text of a file with its map, which esbuild carries over, and without the banner, which it adds again. */
function fileOf({ built, options }: Bundle, path: string): string {
  const of = (name: string) => built.outputFiles.find((file) => basename(file.path) === name)?.text
  const text = of(basename(path)) ?? ''
  const map = of(`${basename(path)}.map`)
  const banner = options.banner?.['js'] ?? ''
  // A line stays where the banner was: the map counts lines.
  const bare = text.startsWith(banner) ? text.slice(banner.length) : text
  if (map === undefined) return bare
  const inline = Buffer.from(map).toString('base64')
  return `${bare}\n//# sourceMappingURL=data:application/json;base64,${inline}`
}

/** Exports what other files take of the parts. All parts are evaluated, in their order. */
function startText(bundle: Bundle, names: ReadonlySet<string>): string {
  return bundle.parts
    .flatMap((path) => [
      `import './${basename(path)}'`,
      exportsOf(bundle, path, basename(path), ({ name, outside }) =>
        names.has(outside) ? `${name} as ${outside}` : undefined,
      ),
    ])
    .join('\n')
}

type Exported = { readonly name: string; readonly outside: string }

/** An `export … from` for the exports of a part; `outside`: the name that start.mjs has for one of them. */
function exportsOf(
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

/** What a file imports from the parts, by the names that start.mjs has for it. */
function takenNames(bundle: Bundle, path: string): ReadonlySet<string> {
  const { built, parts } = bundle
  const text = built.outputFiles.find((file) => basename(file.path) === basename(path))?.text ?? ''
  const taken = [...text.matchAll(IMPORTS)].flatMap(([, names = '', from]) => {
    const part = parts.find((one) => basename(one) === from)
    if (part === undefined || isHelper(bundle, part)) return []
    return names.split(',').map((name) => `${name.split(' as ')[0]}$${parts.indexOf(part)}`)
  })
  return new Set(taken)
}

/** As of esbuild's metafile: the inputs of the parts are those of start.mjs. */
function described(
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
