/**
 * The console's own table of pages, for tests of every page. Node cannot read TSX, so the table is
 * bundled first; the globals that its modules read when they load are put in their place.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

export type ListedPage = {
  /** `users/{uid}`: a segment in braces varies. */
  readonly path: string
  readonly title: string
  readonly audience: 'administrators' | 'everybody' | 'users'
}

/** Here the catalogue is published, so that its page is in the table. */
const GLOBALS = `const location = { hash: "" }; const addEventListener = () => {};
const document = { querySelector: () => ({ content: 'published' }) };`
const REPO = join(import.meta.dirname, '../..')

export async function listPages(): Promise<readonly ListedPage[]> {
  const { outputFiles } = await build({
    entryPoints: [join(REPO, 'console/pages/pages.ts')],
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    banner: { js: GLOBALS },
    write: false,
  })
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-pages-'))
  try {
    const file = join(folder, 'pages.mjs')
    writeFileSync(file, outputFiles[0]?.text ?? '')
    const { PAGES }: { PAGES: readonly ListedPage[] } = await import(pathToFileURL(file).href)
    return PAGES
  } finally {
    rmSync(folder, { recursive: true })
  }
}
