/**
 * Builds the console: a script for the frame, one for each page and for what pages share, a style
 * sheet, and the page that names them. Returns the files; writes nothing.
 */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'

const CONSOLE = join(import.meta.dirname, '../../console')

/**
 * A file by its name below `/v1/console/`. All files are text, and all but `index.html` are named by
 * their content, so that browsers may keep them for ever.
 */
export type ConsoleFiles = { readonly [name: string]: string }

export async function buildConsole(): Promise<ConsoleFiles> {
  const { outputFiles } = await build({
    entryPoints: { app: join(CONSOLE, 'main.tsx'), style: join(CONSOLE, 'style.css') },
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    outdir: CONSOLE,
    write: false,
  })
  const files = Object.fromEntries(outputFiles.map(({ path, text }) => [basename(path), text]))
  const find = (form: RegExp) => Object.keys(files).find((name) => form.test(name)) ?? ''
  const page = readFileSync(join(CONSOLE, 'index.html'), 'utf8')
    .replace('app.js', find(/^app-/))
    .replace('style.css', find(/^style-/))
  return { 'index.html': page, ...files }
}
