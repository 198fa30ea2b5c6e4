/**
 * docs/operations.md has a section for each alarm and none without one, and its commands can be
 * pasted: bash reads them, and what they look up (outputs, events, doors, alarms, metrics) is
 * there.
 */
import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { ALARM_METRIC_USD_PER_MONTH } from '../../lib/alarm.ts'
import { ALARMS, COMPOSITES } from '../../lib/alarms.ts'
import { ALARMS_OF_CALLER } from '../../lib/alarms-of-doors.ts'
import { FUNCTIONS } from '../../lib/doors.ts'
import { ALARMS_OF_SYNTHETIC_CALLS } from '../../lib/synthetic-calls.ts'
import { listSeries } from '../../lib/watch-series.ts'
import { blocksOf, codeOf, readText, rowsOf, sectionOf } from './markdown.ts'

const PAGE = readText('docs/operations.md')
const HERE = sectionOf(PAGE, '## A deployed stage')
const RUNBOOKS = sectionOf(PAGE, '## Runbooks')
const SECTIONS = [...PAGE.matchAll(/^### Alarm: (.+)$/gm)].map(([, name = '']) => name)
/** Blocks of lists are indented with them. */
const BLOCKS = blocksOf(PAGE.replaceAll(/^ {3}/gm, ''))
  .filter(({ language }) => language === 'sh')
  .map(({ text }) => text)
/** `ask 'query' Sse Execute`; a query in double quotes has a shell variable in it. */
const QUERIES = BLOCKS.flatMap((block) =>
  [...block.matchAll(/\bask (['"])(.*?)(?<!\\)\1((?: [A-Z][a-z]+)+)/g)].map(
    ([, , query = '', doors = '']) => ({ query, doors: doors.trim().split(' ') }),
  ),
)
/** What whichever function makes a call may write of it: mcp those of POST /mcp, execute all others. */
const EVENTS_OF_CALLS = [
  'call',
  'call-refused',
  'call-threw',
  'call-voided',
  'settle-failed',
  'refund-delayed',
  'answer-not-kept',
  'claim-not-freed',
  'upstream-port-threw',
]
/** Fields of every log line, of causes, of the platform's reports, and of CloudWatch itself. */
const OTHER_FIELDS = [
  'weight',
  'event',
  'level',
  'traceId',
  'cause.name',
  'cause.message',
  'cause.cause.name',
  'type',
  'record.status',
  'record.errorType',
  '@timestamp',
  '@message',
  '@log',
]
/** The query language, as far as it is used here. */
const LANGUAGE = [
  'filter',
  'fields',
  'stats',
  'sort',
  'display',
  'limit',
  'by',
  'as',
  'and',
  'or',
  'in',
  'desc',
  'count',
  'sum',
  'avg',
  'max',
  'pct',
  'bin',
  'm',
  'h',
  'ispresent',
  'coalesce',
  'strcontains',
]
/** Those of a stage with private hosts come last. */
const EVERY = [...ALARMS, ...ALARMS_OF_CALLER, ...ALARMS_OF_SYNTHETIC_CALLS]
const NOTIFYING_FIRST = [...COMPOSITES, ...EVERY]
const TITLED = NOTIFYING_FIRST.map(
  ({ name }) => [name, sectionOf(PAGE, `### Alarm: ${name}`)] as const,
)

describe('the alarms of the runbook', () => {
  test('each alarm has its section, composites first, in their order, and each section its alarm', () => {
    expect(SECTIONS).toEqual(NOTIFYING_FIRST.map(({ name }) => name))
    expect(SECTIONS.length).toBeGreaterThan(20)
  })

  test.each(COMPOSITES)('the section of $name leads to all of its alarms', ({ name }) => {
    const section = sectionOf(PAGE, `### Alarm: ${name}`)
    const means = section.slice(0, section.indexOf('**Look.**'))
    const named = [...means.matchAll(/\[(\w+)\]\(#alarm-\w+\)/g)].map(([, alarm]) => alarm)
    const own = EVERY.filter(({ composite }) => composite === name)
    expect(named).toEqual(own.map((alarm) => alarm.name))
  })

  test.each(TITLED)('the section of %s has meaning, investigation and remedy', (_, section) => {
    const parts = [...section.matchAll(/^\*\*(Means|Look|Do)\.\*\* /gm)].map(([, part]) => part)
    const bare = section.replaceAll(/^\*\*Look\.\*\*$/gm, '**Look.** ')
    expect(parts.length).toBeGreaterThanOrEqual(2)
    expect([...bare.matchAll(/^\*\*(\w+)\.\*\*/gm)].map(([, part]) => part)).toEqual([
      'Means',
      'Look',
      'Do',
    ])
    const look = section.slice(section.indexOf('**Look.**'), section.indexOf('**Do.**'))
    expect(blocksOf(look).map(({ language }) => language)).toContain('sh')
  })

  test('the alarms cost the sum that the page names', () => {
    const metrics = ALARMS.flatMap(({ watched }) => listSeries(watched)).length
    const usd = (metrics * ALARM_METRIC_USD_PER_MONTH).toFixed(2)
    expect(HERE.replaceAll('\n', ' ')).toContain(
      `the alarms evaluate ${metrics} metrics, $${usd} a month at $0.10 each`,
    )
    expect(HERE).toContain(`${ALARMS.length} alarms`)
    expect(HERE).toContain('three composite alarms')
    expect(COMPOSITES).toHaveLength(3)
  })
})

test('there is a runbook for each foreseeable incident', () => {
  expect([...RUNBOOKS.matchAll(/^### Runbook: (.+)$/gm)].map(([, title]) => title)).toEqual([
    'a deploy failed',
    'the archive lacks entries',
    'a leaked key',
    'a leaked admin key',
    'a leaked admin secret',
    'an admin secret was deleted',
    'the key of the secrets is scheduled for deletion',
    'the store is throttled',
    'a runaway upstream',
    'tools of an upstream changed',
    'an upstream gives no list',
    'credits look wrong',
    'plans are refused',
    "the earlier service's records",
    'restore the Gateway table',
    'the Sessions table is lost',
    'the region is down',
  ])
})

describe('the commands of the runbook', () => {
  test('the page has commands to judge', () => {
    expect(BLOCKS.length).toBeGreaterThan(50)
  })

  test('the commands are read by bash', () => {
    for (const block of BLOCKS) {
      const { status, stderr } = spawnSync('bash', ['-n'], { input: block, encoding: 'utf8' })
      expect(`${stderr}${status === 0 ? '' : block}`).toBe('')
    }
  })

  test('the commands look up existing outputs of the stacks', () => {
    const asked = BLOCKS.flatMap((block) => [...block.matchAll(/\bout (Gateway|Watch) (\w+)/g)])
    const sources = {
      Gateway: readText('lib/gateway-stack.ts'),
      Watch: readText('lib/watch-stack.ts'),
    }
    const ofDoors = FUNCTIONS.map((door) => `${door.charAt(0).toUpperCase()}${door.slice(1)}`)
    const known = ofDoors.flatMap((door) => [`${door}Function`, `${door}Logs`])
    expect(asked.length).toBeGreaterThan(15)
    for (const [, stack, output = ''] of asked) {
      if (stack === 'Watch' && known.includes(output)) continue
      const source = stack === 'Watch' ? sources.Watch : sources.Gateway
      expect(source).toMatch(new RegExp(`\\b${output}\\b`))
    }
  })

  test('the commands ask for logged events of existing functions', () => {
    const documented = rowsOf(sectionOf(PAGE, '### Log lines')).map(([event = '']) => codeOf(event))
    expect(QUERIES.length).toBeGreaterThan(40)
    for (const { doors, query } of QUERIES) {
      for (const event of eventsOf(query)) expect(documented).toContain(event)
      for (const door of doors) expect(FUNCTIONS).toContain(door.toLowerCase())
    }
  })

  test('the commands that ask for calls ask both functions that make them', () => {
    const documented = rowsOf(sectionOf(PAGE, '### Log lines')).map(([event = '']) => codeOf(event))
    expect(documented).toEqual(expect.arrayContaining(EVENTS_OF_CALLS))
    const ofCalls = QUERIES.filter(({ query }) =>
      eventsOf(query).some((event) => EVENTS_OF_CALLS.includes(event)),
    )
    expect(ofCalls.length).toBeGreaterThan(15)
    const partial = ofCalls.filter(
      ({ doors }) => !doors.includes('Execute') || !doors.includes('Mcp'),
    )
    expect(partial).toEqual([])
  })

  test('the commands that stop or start execute do the same to mcp, which makes calls, too', () => {
    const brakes = BLOCKS.filter((block) => /function-concurrency/.test(block))
    expect(brakes.length).toBeGreaterThan(3)
    const changing = brakes.filter((block) => /(put|delete)-function-concurrency/.test(block))
    for (const block of changing.filter((one) => /Execute/.test(one))) {
      expect(block).toMatch(/\bMcp\b/)
    }
  })

  test('the commands ask for existing fields of log lines', () => {
    const log = readText('adapters/telemetry/json-log.ts')
    const noted = /new Set\(\s*\(([\s\S]*?)\)\.split/.exec(log)?.[1]?.match(/\w+/g) ?? []
    const ofCalls = [...log.matchAll(/^ {4}(\w+): (?:toFieldValue\()?call\./gm)].map(
      ([, name]) => name,
    )
    expect(noted.length).toBeGreaterThan(20)
    expect(ofCalls.length).toBeGreaterThan(10)
    const known = new Set([...noted, ...ofCalls, ...OTHER_FIELDS, ...LANGUAGE])
    for (const { query } of QUERIES) {
      const aliases = [...query.matchAll(/ as (\w+)/g)].map(([, alias]) => alias)
      const words = query.replaceAll(/\\?"[^"]*"/g, '').match(/@?[a-zA-Z][\w.]*/g) ?? []
      expect(words.filter((word) => !known.has(word) && !aliases.includes(word))).toEqual([])
    }
  })

  test('the commands reset existing alarms', () => {
    const named = [...PAGE.matchAll(/--alarm-name "Skillgate-\$STAGE-(\w+)"/g)]
    expect(named.length).toBeGreaterThan(0)
    for (const [, name] of named) expect(SECTIONS).toContain(name)
  })
})

/** `event = "a"`, `event in ["a", "b"]`, with or without the shell's backslashes. */
function eventsOf(query: string): readonly string[] {
  const plain = query.replaceAll('\\"', '"')
  const single = [...plain.matchAll(/\bevent = "([^"]+)"/g)].map(([, event = '']) => event)
  const listed = [...plain.matchAll(/\bevent in \[([^\]]+)\]/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/"([^"]+)"/g)].map(([, event = '']) => event),
  )
  return [...single, ...listed]
}
