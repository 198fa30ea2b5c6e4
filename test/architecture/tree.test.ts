/** The rules of CONTRIBUTING.md about files and folders that no linter knows. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const REPO = join(import.meta.dirname, '../..')
const ROOMS = ['core', 'adapters', 'lambdas', 'local', 'cli', 'lib', 'bin']
const FILES = globSync(`{${ROOMS.join(',')}}/**/*.ts`, { cwd: REPO }).sort()

const LINES_MAX = 300
/** Files that are longer because splitting would make them harder to read; each with its reason. */
const LONG_FILES = new Map([
  ['core/settings/table.ts', 'every setting on one page, as data'],
  ['adapters/dynamodb/table.ts', 'the one place that spells keys; it imports nothing'],
])
/** Files directly in a room's folder; all others are in a folder named by a noun. */
const LOOSE_FILES = ['core/errors.ts', 'core/settings.ts', 'lambdas/start-function.ts']
const EMPTY_NAMES = /^(utils?|helpers?|common|shared|managers?|services?|impl|misc|index)$/

test('the check of the tree finds the files that it judges', () => {
  expect(FILES.length).toBeGreaterThan(0)
})

test(`files of core/ and adapters/ have at most ${LINES_MAX} lines`, () => {
  const judged = FILES.filter((file) => /^(core|adapters)\//.test(file) && !LONG_FILES.has(file))
  const long = judged
    .map((file) => ({ file, lines: linesOf(file) }))
    .filter(({ lines }) => lines > LINES_MAX)
  expect(long).toEqual([])
})

function linesOf(file: string): number {
  return readFileSync(join(REPO, file), 'utf8').trimEnd().split('\n').length
}

test('files and folders are named in kebab-case, and none of them utils or helpers', () => {
  const wordsOf = (file: string) => file.replace(/(\.test|\.d)?\.ts$/, '').split('/')
  const wrong = FILES.filter((file) =>
    wordsOf(file).some((word) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(word) || EMPTY_NAMES.test(word)),
  )
  expect(wrong).toEqual([])
})

test('every file of core/, adapters/ and lambdas/ is in a folder named by a noun', () => {
  const loose = FILES.filter((file) => /^(core|adapters|lambdas)\/[^/]+$/.test(file))
  expect(loose.filter((file) => !LOOSE_FILES.includes(file))).toEqual([])
})

test('the files of core/ports list shapes alone and compile to nothing', () => {
  const files = FILES.filter((file) => file.startsWith('core/ports/'))
  expect(files.length).toBeGreaterThan(0)
  for (const file of files) {
    const { outputText } = ts.transpileModule(readFileSync(join(REPO, file), 'utf8'), {
      compilerOptions: {
        module: ts.ModuleKind.ESNext,
        target: ts.ScriptTarget.ESNext,
        verbatimModuleSyntax: true,
        removeComments: true,
      },
    })
    expect(outputText.trim(), file).toBe('export {};')
  }
})
