/** The hooks as they are deployed: what is heavy is in files of its own, and the thread finds itself. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { hooks as makeHooks } from '../../../adapters/hooks/registry.ts'
import { BUNDLE_OPTIONS } from '../../../scripts/bundle.ts'
import { contextOf, FROZEN, responseOf } from '../../contracts/hook-rounds.ts'

const REGISTRY = join(import.meta.dirname, '../../../adapters/hooks/registry.ts')
const folder = mkdtempSync(join(tmpdir(), 'hooks-'))
const inputs: { [output: string]: readonly string[] } = {}

beforeAll(async () => {
  const { metafile } = await build({
    ...BUNDLE_OPTIONS,
    entryPoints: { index: REGISTRY },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    splitting: true,
  })
  for (const [output, { inputs: from }] of Object.entries(metafile.outputs)) {
    inputs[basename(output)] = Object.keys(from)
  }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('nothing of the converter is in the file that a door starts with', () => {
  const started = inputs['index.mjs'] ?? []
  expect(started.some((input) => input.endsWith('adapters/hooks/registry.ts'))).toBe(true)
  expect(started.filter((input) => /turndown|domino|convert-html|html-thread/.test(input))).toEqual(
    [],
  )
})

test('a page becomes Markdown there too', async () => {
  const { hooks }: { hooks: typeof makeHooks } = await import(
    pathToFileURL(join(folder, 'index.mjs')).href
  )
  const hook = { make: never, options: {}, badOptions: [], secrets: {} }
  const page = responseOf('<h1>Hi</h1><p>there', { mediaType: 'text/html' })
  const all = hooks({ clock: FROZEN, outboundAllow: [] })
  const read = await all.after('html_to_markdown', page, contextOf(hook))
  const body = read.ok && read.value !== 'again' ? read.value.body : new Uint8Array()
  expect(new TextDecoder().decode(body)).toBe('# Hi\n\nthere')
})

function never(): never {
  throw new Error('this hook is made by its bundle')
}
