/**
 * docs/wire.md gives the limits, error codes and messages that the code has;
 * docs/execute.md its JSON.
 */
import { describe, expect, test } from 'vitest'
import { ERRORS } from '../../core/errors.ts'
import { LATEST_MODERN } from '../../core/mcp/revisions.ts'
import { draftRequest } from '../../core/request/draft-request.ts'
import { readSkill } from '../../core/skills/definition/read-skill.ts'
import { formatLimitsPage } from '../../scripts/limits-page.ts'
import { shownExchanges } from './exchanges.ts'
import { blocksOf, codeOf, readText, rowsOf, sectionOf } from './markdown.ts'

const PAGE = readText('docs/wire.md')
describe('the limits', () => {
  test('the tables of limits are those that npm run limits:page writes', async () => {
    expect(await formatLimitsPage(PAGE)).toEqual({ page: PAGE, faults: [] })
  })

  test('a number in the tables that is not the one of the code is written anew', async () => {
    const changed = PAGE.replace('| 8,192 bytes | 431 |', '| 8,193 bytes | 431 |')
    expect(changed).not.toBe(PAGE)
    expect((await formatLimitsPage(changed)).page).toBe(PAGE)
  })

  test('a limit without a row, and a row without a limit, are named', async () => {
    const changed = PAGE.replace('`NAME_CHARS_MAX` |', '`NAME_CHARS_MOST` |')
    expect((await formatLimitsPage(changed)).faults).toEqual([
      'core/skills/limits.ts has no number NAME_CHARS_MOST: correct the row, or delete it.',
      'NAME_CHARS_MAX of core/skills/limits.ts has no row: write one.',
    ])
    const unnamed = '| a new limit | 3 | 400 | to be written |'
    expect(
      (await formatLimitsPage(PAGE.replace('| one header |', `${unnamed}\n$&`))).faults,
    ).toEqual([`This row names no constant: ${unnamed}`])
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

describe('the skill config', () => {
  const section = sectionOf(PAGE, '## Skill config')
  const rowsUnder = (heading: string) => rowsOf(sectionOf(PAGE, heading))
  const schema = JSON.parse(readText('examples/skills/skill.schema.json')).$defs

  test('has the fields of the schema for editors, and none besides', () => {
    const inside = section.slice(0, section.indexOf('### '))
    const documented = rowsOf(inside).map(([field = '']) => codeOf(field))
    expect([...documented].sort()).toEqual(Object.keys(schema.config.properties).sort())
  })

  test('has the kinds of auth', () => {
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
    const server = { name: 'skillgate', version: '…', instructions: '' }
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
