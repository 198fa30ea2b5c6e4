/**
 * Builds the console: one script, one style sheet and the page that names them by their hashes.
 * Returns the files; writes nothing.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const CONSOLE = join(import.meta.dirname, '../../console')

/** A file by its name below `/v1/console/`. All files are text. */
export type ConsoleFiles = { readonly [name: string]: string }

export async function buildConsole(): Promise<ConsoleFiles> {
  const { outputFiles } = await build({
    entryPoints: { app: join(CONSOLE, 'main.tsx'), style: join(CONSOLE, 'style.css') },
    bundle: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    outdir: CONSOLE,
    write: false,
  })
  const script = outputFiles.find(({ path }) => path.endsWith('.js'))?.text ?? ''
  const style = outputFiles.find(({ path }) => path.endsWith('.css'))?.text ?? ''
  const [scriptName, styleName] = [toName('app', script, 'js'), toName('style', style, 'css')]
  const page = readFileSync(join(CONSOLE, 'index.html'), 'utf8')
    .replace('app.js', scriptName)
    .replace('style.css', styleName)
  return { 'index.html': page, [scriptName]: script, [styleName]: style }
}

/** Names a file by its content, so that browsers may keep it for ever. */
function toName(name: string, text: string, extension: string): string {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return `${name}-${hash}.${extension}`
}
