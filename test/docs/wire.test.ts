/**
 * docs/wire.md gives the limits, error codes, routes and messages that the code has;
 * docs/execute.md its JSON.
 */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ERRORS } from '../../core/errors.ts'
import { LATEST_MODERN } from '../../core/mcp/revisions.ts'
import { draftRequest } from '../../core/request/draft-request.ts'
import { readSkill } from '../../core/skills/definition/read-skill.ts'
import { ROUTES } from '../../lambdas/admin/routes.ts'
import { shownExchanges } from './exchanges.ts'
import { blocksOf, codeOf, filesOf, readText, rowsOf, sectionOf } from './markdown.ts'

const PAGE = readText('docs/wire.md')
const SKILL_LIMITS = 'core/skills/limits.ts'

type ToldLimit = { readonly file: string; readonly name: string; readonly value: number }

const skillSection = sectionOf(PAGE, '### What a skill may have')
const LIMITS: readonly ToldLimit[] = [
  ...rowsOf(sectionOf(PAGE, '## Limits').replace(skillSection, '')).map((row) => {
    const [, name = '', file = ''] = /`(\w+)` in `([^`]+)`/.exec(row[3] ?? '') ?? []
    return { file, name, value: numberOf(row[1]) }
  }),
  ...rowsOf(skillSection).map((row) => ({
    file: SKILL_LIMITS,
    name: codeOf(row[2] ?? ''),
    value: numberOf(row[1]),
  })),
]

describe('the limits', () => {
  test.each(LIMITS)('the limit $name in $file is $value', async ({ file, name, value }) => {
    expect((await constantsOf(file))[name]).toBe(value)
  })

  test.each(filesOf('core/*/limits.ts'))('every number of %s is in the table', async (file) => {
    const numbers = Object.entries(await constantsOf(file)).filter(
      ([, value]) => typeof value === 'number',
    )
    const documented = LIMITS.filter((limit) => limit.file === file).map(({ name }) => name)
    expect(numbers.map(([name]) => name).sort()).toEqual([...documented].sort())
  })
})

test('the error codes are the closed vocabulary', () => {
  const documented = rowsOf(sectionOf(PAGE, '## Error codes')).map(
    ([code = '', status, title, again = '']) => ({
      code: codeOf(code),
      status: Number(status),
      title,
      retry: again.replaceAll(' ', '-'),
    }),
  )
  const real = Object.entries(ERRORS).map(([code, { status, title, retry }]) => ({
    code,
    status,
    title,
    retry,
  }))
  expect(documented).toEqual(real)
})

test('every status of an error code has a row', () => {
  const rows = rowsOf(sectionOf(PAGE, '## Status codes')).map(([status]) => Number(status))
  const statuses = Object.values(ERRORS).map(({ status }) => Number(status))
  // 499 is never sent, because its caller has left.
  expect(statuses.filter((status) => status !== 499 && !rows.includes(status))).toEqual([])
})

test('the admin routes are those of the door', () => {
  const documented = rowsOf(sectionOf(PAGE, '## Admin')).map(([route = '']) => codeOf(route))
  expect(documented).toEqual(ROUTES.map(({ method, path }) => `${method} /v1/admin${path}`))
})

describe('the skill config', () => {
  const section = sectionOf(PAGE, '## Skill config')
  const rowsUnder = (heading: string) => rowsOf(sectionOf(PAGE, heading))
  const schema = JSON.parse(readText('examples/skills/skill.schema.json')).$defs

  test('the skill config has the fields of the schema for editors, and none besides', () => {
    const inside = section.slice(0, section.indexOf('### '))
    const documented = rowsOf(inside).map(([field = '']) => codeOf(field))
    expect([...documented].sort()).toEqual(Object.keys(schema.config.properties).sort())
  })

  test('the skill config has the kinds of auth', () => {
    const documented = rowsUnder('### auth').map(([type = '']) => codeOf(type))
    expect(documented).toEqual(schema.auth.properties.type.enum)
  })

  test.each(rowsUnder('### Templates').map((database) => database.map(codeOf)))(
    'a skill with content type %s and body %s sends %s as %s',
    (type = '', body = '', x = '', sent) => {
      const read = readSkill(
        {
          id: 'sg_x',
          source: 'official',
          credits_per_call: 0,
          meta: { name: 'X', description: 'X', parameters: { type: 'object' } },
          config: {
            endpoint: 'https://a.example/',
            method: 'POST',
            headers: type === 'none' ? {} : { 'Content-Type': type },
            body: JSON.parse(body),
          },
        },
        { prefix: 'sg' },
      )
      const draft = read.ok ? draftRequest(read.value.skill, { x: JSON.parse(x) }) : read
      const request = draft.ok ? draft.value.complete(new Map()) : draft
      expect(request.ok ? request.value.body : request.error).toBe(sent)
    },
  )
})

describe('the shown examples', () => {
  // test/e2e/wire-examples.test.ts plays the exchanges against the twin.
  const bodies = shownExchanges().flatMap(({ answer, body }) => [
    body,
    ...(answer.startsWith('event: ') ? dataOf(answer) : [answer]),
  ])
  const blocks = [...blocksOf(readText('docs/execute.md')), ...blocksOf(PAGE)]
    .filter(({ language }) => language === 'json')
    .flatMap(({ text }) => (isLines(text) ? text.trimEnd().split('\n') : [text]))

  test.each([...bodies, ...blocks].filter((text) => text.trim() !== ''))(
    'the example is JSON: %s',
    (text) => {
      expect(() => JSON.parse(text)).not.toThrow()
    },
  )

  test('the example of the end of a listen stream is the real one', () => {
    const server = { name: 'skillgate', version: '0.1.0', instructions: '' }
    const shown = blocksOf(sectionOf(PAGE, '### Exchanges'))
      .filter(({ language }) => language === 'text')
      .flatMap(({ text }) => dataOf(text))
    expect(shown).toEqual([
      LATEST_MODERN.notifications.toolsListChanged('7'),
      LATEST_MODERN.results.listenEnded('7', server),
    ])
  })
})

function dataOf(events: string): readonly string[] {
  return [...events.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => data)
}

/** Several documents, one to a line. */
function isLines(text: string): boolean {
  return text.startsWith('{"') && text.trimEnd().includes('}\n{')
}

/** `1,048,576 bytes` and `every 5,000 ms` both begin with one number. */
function numberOf(cell: string | undefined): number {
  return Number(/-?\d[\d,]*/.exec(cell ?? '')?.[0].replaceAll(',', ''))
}

async function constantsOf(file: string): Promise<{ readonly [name: string]: unknown }> {
  return import(join(import.meta.dirname, '../..', file))
}
