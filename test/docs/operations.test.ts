/** docs/operations.md names the log events and the settings that the code has, and no others. */
import { expect, test } from 'vitest'
import { codeOf, filesOf, readText, rowsOf, sectionOf } from './markdown.ts'

const PAGE = readText('docs/operations.md')
const SOURCES = filesOf('{core,adapters,lambdas,local}/**/*.ts')

/** `note('warn', 'hold-healed', …)`, on one line or several; the level may be an expression. */
const NOTE = /\bnote\(\s*[^,()]+,\s*'([a-z0-9-]+)'/g

test('docs/operations.md lists exactly the logged events', () => {
  const logged = SOURCES.flatMap((file) =>
    [...readText(file).matchAll(NOTE)].map(([, event]) => event),
  )
  const documented = rowsOf(sectionOf(PAGE, '### Log lines')).map(([event = '']) => codeOf(event))
  expect([...new Set([...logged, 'call'])].sort()).toEqual([...documented].sort())
})

test('docs/operations.md lists exactly the settings that are read', () => {
  const source = ['env', 'read-events', 'store-client']
    .map((name) => readText(`adapters/config/${name}.ts`))
    .join('\n')
  const read = [...source.matchAll(/(?:from\.\w+|perMinute)\(\s*'([A-Z_]+)'/g)].map(([, it]) => it)
  const documented = rowsOf(sectionOf(PAGE, '### Settings of the functions')).map(([name = '']) =>
    codeOf(name),
  )
  const lambdasOwn = read.filter((name) => !name?.startsWith('AWS_'))
  expect([...new Set(lambdasOwn)].sort()).toEqual([...documented].sort())
})
