/**
 * The smoke test of a deployed gateway, run against the twin: it must pass there, and find planted
 * faults.
 */
import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listChecks } from '../../cli/clone/smoke/checks.ts'
import { measurePlatform } from '../../cli/clone/smoke/measures.ts'
import { readTarget, type SmokeTarget } from '../../cli/clone/smoke/target.ts'
import { checkTask } from '../../cli/clone/smoke/task-check.ts'
import { pushSkill } from './admin.ts'
import { send } from './http.ts'
import { startTwin, type Twin } from './twin.ts'

let twin: Twin
beforeAll(async () => {
  twin = await startTwin(['--memory'])
})
afterAll(() => twin.stop())

function targetOf(more: readonly string[] = []): SmokeTarget {
  const args = [
    '--url',
    twin.url,
    '--key',
    twin.key,
    '--mcp-url',
    twin.mcp,
    '--execute-url',
    twin.url,
    '--admin-url',
    twin.admin,
  ]
  const target = readTarget([...args, ...more], {})
  if (!target.ok) throw new Error(target.error.join('\n'))
  return target.value
}

async function failures(target: SmokeTarget): Promise<readonly string[]> {
  const wrong: string[] = []
  for (const { says, run } of listChecks(target)) {
    if ((await run().catch(String)) !== undefined) wrong.push(says)
  }
  return wrong
}

async function creditsLeft(): Promise<unknown> {
  const url = `${twin.admin}/users/${twin.uid}`
  const answer = await send(url, { headers: { authorization: `Bearer ${twin.internalApiSecret}` } })
  return answer.json()['credits']
}

/** Waits of a test on this machine, where an invocation is never put to sleep. */
const QUICK = { silenceMs: 1_000, pollMs: 150 }

async function addTask(id: string): Promise<string> {
  const parameters = { type: 'object', properties: { seconds: { type: 'number' } } }
  const config = { endpoint: `${twin.url}/sample/slow`, method: 'GET', task: { max_sec: 60 } }
  return pushSkill(twin, { id, parameters, config })
}

describe('the smoke test', () => {
  test('passes on a gateway that works, and charges nothing', async () => {
    const before = await creditsLeft()
    expect(await failures(targetOf())).toEqual([])
    expect(await creditsLeft()).toEqual(before)
  })

  test('calls a skill on request', async () => {
    const call = ['--call', 'sg_echo', '--arguments', '{"text":"smoke"}']
    expect(await failures(targetOf(call))).toEqual([])
  })

  test('names a key that does not work and a skill that does not exist', async () => {
    const target = targetOf(['--call', 'sg_no_such_skill'])
    expect(await failures({ ...target, key: `sgk_${'B'.repeat(43)}` })).toEqual([
      'the official client connects, lists and calls',
      'the official client initializes, lists and calls over Streamable HTTP',
      'server/discover of 2026-07-28 names the revision',
      'a call of sg_no_such_skill over Streamable HTTP succeeds',
      'execute of an unknown skill is 404 and charges nothing',
      'a call of sg_no_such_skill over the stream succeeds',
      'the same over REST charges its price',
    ])
  })

  test('refuses an internal URL that accepts unsigned requests', async () => {
    expect(await failures({ ...targetOf(), internal: new URL(twin.url) })).toEqual([
      'the internal execute URL refuses unsigned requests',
    ])
  })

  test('passes where every reply comes and no comment is held back', async () => {
    const rows = await measurePlatform(targetOf(), 3)
    expect(rows.map(([what, samples]) => [what, samples])).toEqual([
      ['GET the stream → first block', 5],
      ['POST → 202', 3],
      ['202 → reply event', 3],
      ['event → the comment behind it', 3],
      ['comments held back 1 s and longer (small-chunk delay)', 3],
      ['POST 90 s after a dropped connection', 0],
    ])
    expect(rows[4]?.[2]).toBe('0 of 3')
  })

  test('fails where a host holds the last small chunk back', async () => {
    const holding = await startTwin(['--memory', '--hold-last-chunk'])
    try {
      const rows = await measurePlatform(
        { ...targetOf(), sse: new URL(holding.url), key: holding.key },
        2,
      )
      expect(rows[4]?.[2]).toBe('2 of 2')
    } finally {
      await holding.stop()
    }
  })

  test('finds that a task goes on behind its answer', async () => {
    const skill = await addTask('sg_smoke_render')
    const task = { skill, arguments: { seconds: 2 } }
    const { run, says } = checkTask(new URL(twin.mcp), { key: twin.key, task }, QUICK)
    expect([says, await run()]).toEqual([
      'a task of sg_smoke_render goes on behind its answer',
      undefined,
    ])
  })

  test('names a skill that is no task', async () => {
    const task = { skill: 'sg_echo', arguments: { text: 'x' } }
    const { run } = checkTask(new URL(twin.mcp), { key: twin.key, task }, QUICK)
    expect(await run()).toContain('name a skill with config.task')
  })

  test('says what it means if the task stands still', async () => {
    const skill = await addTask('sg_smoke_still')
    const task = { skill, arguments: { seconds: 10 } }
    const waits = { silenceMs: 0, pollMs: 150 }
    const { run } = checkTask(new URL(twin.mcp), { key: twin.key, task }, waits)
    expect(await run()).toContain('stop an invocation once its caller has the whole answer')
  })

  test('names its missing variables and ends with 2', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      ['cli/clone/main.ts', 'smoke', '--url', 'ftp://x'],
      {
        encoding: 'utf8',
        env: {},
      },
    )
    expect(status).toBe(2)
    expect(stderr).toContain('--url: is "ftp://x"; give an http or https URL')
    expect(stderr).toContain('--key: is missing; give a key of a user, or set SKILLGATE_KEY')
  })
})
