import { describe, expect, test } from 'vitest'
import type { Agent, TestedClient } from './agent.ts'
import { CHECKS, checkClient, type Outcome, type Row, type World } from './checks.ts'
import { countRows, faultLines, tableOf } from './table.ts'

const world: World = {
  sse: 'http://127.0.0.1:1/sse',
  mcp: 'http://127.0.0.1:1/mcp',
  key: 'sgk_test',
  tools: {
    echo: 'sg_echo',
    failing: 'sg_broken',
    slow: 'sg_wait',
    task: 'sg_render',
    late: 'sg_late',
  },
  addTool: async () => 'sg_added_1',
}

/** Lists all tools and answers every call at once with an empty result, by default. */
function client(more: Partial<Agent>, about: Partial<TestedClient> = {}): TestedClient {
  const agent: Agent = {
    revision: '2026-07-28',
    toolNames: async () => [...Object.values(world.tools), 'sg_added_1'],
    call: async () => ({ text: '', isError: false }),
    changes: undefined,
    close: async () => undefined,
    ...more,
  }
  const revision = '2026-07-28'
  return { name: 'one', revision, hearsProgress: true, connect: async () => agent, ...about }
}

const kinds = ({ outcomes }: Row) =>
  Object.fromEntries([...outcomes].map(([check, { kind }]) => [check, kind]))

describe('a client', () => {
  test('that lists correctly but gets empty results fails each check of a call', async () => {
    expect(kinds(await checkClient(client({}), world))).toEqual({
      list: 'passed',
      call: 'failed',
      'failing call': 'failed',
      'slow call': 'failed',
      progress: 'failed',
      'lost answer': 'none',
      tasks: 'none',
      list_changed: 'none',
      'new tool': 'passed',
    })
  })

  test('that negotiates an unexpected revision fails its list', async () => {
    const { outcomes } = await checkClient(client({ revision: '2025-11-25' }), world)
    const why = 'Error: speaks 2025-11-25 and not 2026-07-28'
    expect(outcomes.get('list')).toEqual({ kind: 'failed', why })
  })

  test('that misses a tool fails its list', async () => {
    const toolNames = async () => ['sg_echo', 'sg_wait', 'sg_added_1']
    const { outcomes } = await checkClient(client({ toolNames }), world)
    const why = 'Error: no sg_broken, sg_render, sg_late among 3 tools'
    expect(outcomes.get('list')).toEqual({ kind: 'failed', why })
  })

  test('that cannot connect fails every check, with one line', async () => {
    const connect = () => Promise.reject(new Error('refused'))
    const row = await checkClient(client({}, { connect }), world)
    expect(faultLines([row])).toEqual([
      'FAULT one, list, call, failing call, slow call, progress, lost answer, tasks, list_changed, new tool: Error: refused',
    ])
  })
})

describe('the table of checks', () => {
  const passed: Outcome = { kind: 'passed', note: '2.3 s' }
  const none: Outcome = { kind: 'none', why: 'no stream' }
  const row = (last: Outcome): Row => ({
    name: 'one',
    outcomes: new Map([
      ['list', passed],
      ['list_changed', none],
      ['new tool', last],
    ]),
    tookMs: 1500,
  })

  test('the table counts a client with one failed check as failed, and a check that does not apply as no failure', () => {
    const rows = [row(passed), row({ kind: 'failed', why: 'late' })]
    expect(countRows(rows)).toEqual({ passed: 1, failed: 1 })
  })

  test('the table shows the outcome of each check', () => {
    expect(tableOf([row({ kind: 'failed', why: 'late' })], CHECKS).split('\n')[2]).toBe(
      'one     ok 2.3 s  FAILED  FAILED        FAILED     FAILED    FAILED       FAILED  – no stream   FAILED    1.5 s',
    )
  })
})
