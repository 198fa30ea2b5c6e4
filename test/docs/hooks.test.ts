/** docs/hooks.md: its example compiles, passes the contract of hooks, and its options are taken. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { afterAll, describe, expect, test } from 'vitest'
import { PAYLOADS } from '../../adapters/hooks/hmac-sha256-signature.ts'
import { makeHooks } from '../../adapters/hooks/registry.ts'
import type { JsonObject } from '../../core/json/json.ts'
import { HOOK_NAMES } from '../../core/skills/definition/hook-names.ts'
import { FROZEN } from '../contracts/hook-rounds.ts'
import { doorProgram } from '../lib/door-program.ts'
import { blocksOf, codeOf, readText, rowsOf, sectionOf } from './markdown.ts'

const REPO = join(import.meta.dirname, '../..')
const PAGE = readText('docs/hooks.md')
const HOOK = 'adapters/hooks/salted-digest.ts'
const TEST = 'test/adapters/hooks/salted-digest.test.ts'

const [hookText = '', testText = ''] = blocksOf(PAGE)
  .filter(({ language }) => language === 'ts')
  .map(({ text }) => text)

const folder = mkdtempSync(join(tmpdir(), 'hook-example-'))
symlinkSync(join(REPO, 'node_modules'), join(folder, 'node_modules'), 'dir')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** As the page has it, but that imports lead from where it lies now. */
function placed(text: string, from: string): string {
  return text.replace(/from '(\.[^']+)'/g, (_all, path: string) => {
    const file = join(REPO, dirname(from), path)
    const there = file === join(REPO, HOOK) ? join(folder, 'hook.ts') : file
    return `from '${pathToFileURL(there).href}'`
  })
}

writeFileSync(join(folder, 'hook.ts'), placed(hookText, HOOK))
writeFileSync(join(folder, 'hook.test.ts'), placed(testText, TEST))
// Its suites are collected as if they stood here.
await import(pathToFileURL(join(folder, 'hook.test.ts')).href)

test('the page names the files that it shows', () => {
  expect(PAGE).toContain(`\`${HOOK}\``)
  expect(PAGE).toContain(`\`${TEST}\``)
})

test('the example of a hook compiles', () => {
  const program = doorProgram({ [HOOK]: hookText, [TEST]: testText })
  const faults = [HOOK, TEST].flatMap((path) => {
    const file = program.getSourceFile(join(REPO, path))
    if (file === undefined) return [`${path} is not there`]
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '),
    )
  })
  expect(faults).toEqual([])
})

describe('the hooks of the page', () => {
  const all = makeHooks({ clock: FROZEN, outboundAllow: [] })

  test('the hooks have a section each', () => {
    const sections = [...PAGE.matchAll(/^## (\w+_\w+)$/gm)].map(([, name]) => name)
    expect(sections.sort()).toEqual([...HOOK_NAMES].sort())
  })

  test('the hooks accept the options that are shown', () => {
    const shown = blocksOf(PAGE).flatMap(({ language, text }) =>
      language === 'json' ? [JSON.parse(text)] : [],
    ) as { plugin_hook: string; plugin_options: JsonObject }[]
    expect(shown.length).toBeGreaterThan(0)
    for (const { plugin_hook: name, plugin_options: options } of shown) {
      expect(all.optionFaults(name, options)).toEqual([])
    }
  })

  test.each(HOOK_NAMES)('the hook %s has the options of its table and no others', (name) => {
    const documented = rowsOf(sectionOf(PAGE, `## ${name}`))
      .map(([option = '']) => [...option.matchAll(/`(\w+)`/g)].map(([, one]) => one))
      .filter((names) => names.length > 0)
      .flat()
    const [fault] = all.optionFaults(name, { no_such_option: 1 }) ?? []
    const taken = /it takes (.*)$/.exec(fault?.message ?? '')?.[1] ?? ''
    expect(documented.sort().join(', ') || 'none').toBe(taken.split(', ').sort().join(', '))
  })

  test('the hooks sign the message that the page describes', () => {
    const documented = rowsOf(sectionOf(PAGE, '## hmac_sha256_signature'))
      .map(([first = '']) => codeOf(first))
      .filter((first) => first.startsWith('"'))
    expect(documented.map((payload) => JSON.parse(payload))).toEqual([...PAYLOADS])
  })
})
