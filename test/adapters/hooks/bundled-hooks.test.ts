/**
 * The hooks as deployed: heavy code is in files of its own, and the hook finds the file of its worker thread.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, expect, test } from 'vitest'
import type { makeHooks } from '../../../adapters/hooks/registry.ts'
import { BUNDLE_OPTIONS } from '../../../lib/bundle/options.ts'
import { contextOf, FROZEN, responseOf } from '../../contracts/hook-rounds.ts'

const HOOKS = join(import.meta.dirname, '../../../adapters/hooks')
const CONVERTER = /turndown|domino|convert-html|html-thread|saxes|papaparse|csv-table|xml-value/
const folder = mkdtempSync(join(tmpdir(), 'hooks-'))

/** Names of the source files in each bundled file. */
async function bundled(file: string, into: string) {
  const { metafile } = await build({
    ...BUNDLE_OPTIONS,
    entryPoints: { index: join(HOOKS, file) },
    outdir: join(folder, into),
    outExtension: { '.js': '.mjs' },
    splitting: true,
  })
  const outputs = Object.entries(metafile.outputs)
  return new Map(outputs.map(([name, { inputs }]) => [basename(name), Object.keys(inputs)]))
}

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a bundle converts pages, CSV and XML, and its first file has no part of a converter', async () => {
  const started = (await bundled('registry.ts', 'execute')).get('index.mjs') ?? []
  expect(started.some((input) => input.endsWith('adapters/hooks/registry.ts'))).toBe(true)
  expect(started.filter((input) => CONVERTER.test(input))).toEqual([])
  const { makeHooks: bundledHooks }: { makeHooks: typeof makeHooks } = await import(
    pathToFileURL(join(folder, 'execute', 'index.mjs')).href
  )
  const hook = { make: never, options: {}, badOptions: [], secrets: {} }
  const page = responseOf('<h1>Hi</h1><p>there', { mediaType: 'text/html' })
  const all = bundledHooks({ clock: FROZEN, outboundAllow: [] })
  const textOf = async (name: string, response: typeof page) => {
    const read = await all.after(name, response, contextOf(hook))
    const body = read.ok && read.value !== 'again' ? read.value.body : new Uint8Array()
    return new TextDecoder().decode(body)
  }
  expect(await textOf('html_to_markdown', page)).toBe('# Hi\n\nthere')
  const table = responseOf('a\n1', { mediaType: 'text/csv' })
  expect(await textOf('csv_to_json', table)).toBe('{"columns":["a"],"rows":[{"a":"1"}]}')
  const order = responseOf('<a>1</a>', { mediaType: 'text/xml' })
  expect(await textOf('xml_to_json', order)).toBe('{"a":"1"}')
})

test('a door that only checks options contains no converter', async () => {
  const inputs = [...(await bundled('all-hooks.ts', 'admin')).values()].flat()
  expect(inputs.some((input) => input.endsWith('adapters/hooks/html-to-markdown.ts'))).toBe(true)
  expect(inputs.filter((input) => CONVERTER.test(input))).toEqual([])
})

function never(): never {
  throw new Error('this hook is made by its bundle')
}
