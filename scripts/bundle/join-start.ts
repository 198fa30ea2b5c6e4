/**
 * Makes one file of all that a start loads. esbuild gives what several files share a file of its own for each set of them, so
 * a door with a few late imports would start with twenty files. Here they become index.mjs, and later files import from
 * it what they shared with it. Reads and writes nothing on disk.
 */
import { basename, dirname, join } from 'node:path'
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin } from 'esbuild'

export type BundleOutput = {
  readonly metafile: Metafile
  readonly outputFiles: readonly OutputFile[]
}

const START = 'index.mjs'
/** An import of names from another file of the bundle, in the form in which esbuild writes it. */
const IMPORTS = /import\{([^}]*)\}from"\.\/([^"]*)"/g

const NONE: ReadonlySet<string> = new Set()

type Outputs = Metafile['outputs']

/** `index.mjs` and all files that it needs before its first line runs, as paths of esbuild's metafile. */
export function filesAtStart(outputs: Outputs): readonly string[] {
  const loaded = new Set(Object.keys(outputs).filter((path) => basename(path) === START))
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
  const atStart = filesAtStart(outputs)
  if (atStart.length < 2) return built
  const later = Object.keys(outputs).filter(
    (path) => path.endsWith('.mjs') && !atStart.includes(path),
  )
  const bundle: Bundle = { built, atStart, options }
  const taken = new Map(later.map((path) => [path, takenNames(bundle, path)]))
  const files = await Promise.all(
    later.map((path) =>
      rewrite(bundle, path, { contents: fileOf(bundle, path), names: taken.get(path) ?? NONE }),
    ),
  )
  const [start = ''] = atStart
  const names = new Set([...taken.values()].flatMap((of) => [...of]))
  const index = await rewrite(bundle, start, { contents: startText(bundle, names), names })
  const all = [index, ...files]
  return {
    outputFiles: all.flatMap(({ outputFiles }) => outputFiles),
    metafile: {
      inputs: built.metafile.inputs,
      outputs: Object.fromEntries(
        all.map(({ path, text }) => [path, described(bundle, path, Buffer.byteLength(text))]),
      ),
    },
  }
}

type Bundle = {
  readonly built: BundleOutput
  readonly atStart: readonly string[]
  readonly options: BuildOptions
}

type Rewritten = {
  readonly path: string
  readonly text: string
  readonly outputFiles: readonly OutputFile[]
}

/** Writes one file again: index.mjs with the files of the start inside, another one with imports from index.mjs. */
async function rewrite(
  bundle: Bundle,
  path: string,
  { contents, names }: { readonly contents: string; readonly names: ReadonlySet<string> },
): Promise<Rewritten> {
  const folder = dirname(bundle.built.outputFiles[0]?.path ?? '')
  const { outputFiles } = await build({
    ...bundle.options,
    stdin: { contents, resolveDir: folder, sourcefile: `joined-${basename(path)}` },
    outfile: join(folder, basename(path)),
    write: false,
    metafile: false,
    plugins: [joining(bundle, folder, { isStart: path === bundle.atStart[0], names })],
  })
  const text = outputFiles.find((file) => file.path.endsWith('.mjs'))?.text ?? ''
  return { path, text, outputFiles }
}

function joining(
  bundle: Bundle,
  folder: string,
  { isStart, names }: { readonly isStart: boolean; readonly names: ReadonlySet<string> },
): Plugin {
  const pathOf = (file: string) => bundle.atStart.find((path) => basename(path) === basename(file))
  return {
    name: 'joining',
    setup: ({ onLoad, onResolve }) => {
      onResolve({ filter: /^\.\// }, ({ kind, namespace, path }) => {
        const isPart = kind === 'import-statement' && pathOf(path) !== undefined
        if (!isPart || namespace === 'from-index') return { path, external: true }
        return isStart ? { path: join(folder, path) } : { path, namespace: 'from-index' }
      })
      onLoad({ filter: /./, namespace: 'file' }, ({ path }) => ({
        contents: fileOf(bundle, pathOf(path) ?? ''),
      }))
      onLoad({ filter: /./, namespace: 'from-index' }, ({ path }) => ({
        contents: exportsOf(bundle, pathOf(path) ?? '', START, ({ name, outside }) =>
          names.has(outside) ? `${outside} as ${name}` : undefined,
        ),
      }))
    },
  }
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

/** Exports what index.mjs exports, and those names of its parts that other files take. */
function startText(bundle: Bundle, names: ReadonlySet<string>): string {
  const [start = '', ...parts] = bundle.atStart
  const exports = parts.map((path) =>
    exportsOf(bundle, path, basename(path), ({ name, outside }) =>
      names.has(outside) ? `${name} as ${outside}` : undefined,
    ),
  )
  return [`export * from './${basename(start)}'`, ...exports].join('\n')
}

type Exported = { readonly name: string; readonly outside: string }

/** An `export … from` for the exports of a part; `outside`: the name that index.mjs has for one of them. */
function exportsOf(
  { atStart, built }: Bundle,
  path: string,
  from: string,
  clause: (exported: Exported) => string | undefined,
): string {
  const at = atStart.indexOf(path)
  const names = built.metafile.outputs[path]?.exports ?? []
  const clauses = names.flatMap((name) => clause({ name, outside: outsideName(name, at) }) ?? [])
  return clauses.length === 0 ? '' : `export {${clauses.join(', ')}} from './${from}'`
}

/** What a later file imports from files of the start, by the names that index.mjs has for it. */
function takenNames({ atStart, built }: Bundle, path: string): ReadonlySet<string> {
  const text = built.outputFiles.find((file) => basename(file.path) === basename(path))?.text ?? ''
  const clauses = [...text.matchAll(IMPORTS)].flatMap(([, names = '', from]) => {
    const at = atStart.findIndex((part) => basename(part) === from)
    return at < 0
      ? []
      : names.split(',').map((name) => outsideName(name.split(' as ')[0] ?? '', at))
  })
  return new Set(clauses)
}

/** `at`: the place of its file among those of the start; the first is index.mjs itself. */
function outsideName(name: string, at: number): string {
  return at === 0 ? name : `${name}$${at}`
}

/** As of esbuild's metafile: the inputs of the parts are those of index.mjs. */
function described({ atStart, built }: Bundle, path: string, bytes: number): Outputs[string] {
  const { outputs } = built.metafile
  const [start = ''] = atStart
  const parts = path === start ? atStart : [path]
  const isInside = (needed: string) => path === start && atStart.includes(needed)
  const imports = parts.flatMap((part) => outputs[part]?.imports ?? [])
  return {
    ...outputs[path],
    bytes,
    exports: outputs[path]?.exports ?? [],
    inputs: Object.assign({}, ...parts.map((part) => outputs[part]?.inputs ?? {})),
    imports: imports
      .filter((one) => !isInside(one.path))
      .map((one) => (atStart.includes(one.path) ? { ...one, path: start } : one)),
  }
}
