/** The whole process ends between two calls, by a signal or killed, and nothing is lost. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Balance, balanceOf, createUser, syncSkill } from './admin.ts'
import { connectAgent } from './agent.ts'
import { startGate } from './gate.ts'
import { bearer, postJson } from './http.ts'
import { openRawSession } from './raw-session.ts'
import { startTwin, type Twin, type TwinClock } from './twin.ts'
import { until, untilTrue } from './wait.ts'

let folder: string
const twins: Twin[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillgate-e2e-'))
})

afterAll(async () => {
  for (const twin of twins) await twin.stop()
  await rm(folder, { recursive: true, force: true })
})

async function start(
  data: string,
  port = 0,
  { args = [], ...options }: { clock?: TwinClock; args?: readonly string[] } = {},
): Promise<Twin> {
  const place = ['--data', join(folder, data), '--port', String(port)]
  const twin = await startTwin([...place, ...args], options)
  twins.push(twin)
  return twin
}

/** A balance in which no call is under way any more. */
function settled(balance: Balance): Balance | undefined {
  return balance.onHold === 0 ? balance : undefined
}

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'the client comes back to the same users, skills and credits after %s between two calls',
  async (signal) => {
    const first = await start(signal)
    const user = await createUser(first, { username: 'stays', credits: 10 })
    const own = await syncSkill(first, { id: 'kept', at: 'echo?kept=yes', uid: user.uid, price: 2 })
    const agent = await connectAgent(first.sse, user.key)
    const before = await agent.call(own)
    const names = await agent.toolNames()
    const endpoint = agent.endpoint()
    // A call is answered first; its outcome and the release of its hold follow.
    await until(() => balanceOf(first, user.uid).then(settled))
    const exit = await first.stop(signal)
    const second = await start(signal, first.port)
    await untilTrue(() => agent.endpoint() !== endpoint)
    const namesAfter = await agent.toolNames()
    const after = await agent.call(own)
    const balance = await until(() => balanceOf(second, user.uid).then(settled))
    await agent.close()
    await second.stop()
    if (signal === 'SIGTERM') expect(exit.code).toBe(0)
    expect([second.key, second.adminKey]).toEqual([first.key, first.adminKey])
    expect(namesAfter).toEqual(names)
    expect(namesAfter).toContain('stays_sg_kept')
    expect([before, after].map(({ isError }) => isError)).toEqual([false, false])
    expect(after.text).toContain('"kept":"yes"')
    expect(balance).toEqual({ credits: 6, onHold: 0 })
    expect(agent.posted.filter((method) => method === 'initialize')).toEqual(['initialize'])
  },
)

test('a stop ends open streams cleanly, even for a reader of bytes', async () => {
  const twin = await start('streams')
  const session = await openRawSession(twin.sse, twin.key)
  const exit = await twin.stop()
  await session.ended
  const text = session.pieces.map((piece) => piece.text).join('')
  expect(exit.code).toBe(0)
  expect(text.endsWith('\n\n')).toBe(true)
})

test.each(['2025-03-26', '2025-06-18', '2025-11-25'])(
  'a stop refunds a call of a client of %s that it cuts, as it tells that client',
  async (version) => {
    const gate = await startGate()
    const first = await start(version, 0, { args: ['--outbound-allow', gate.host] })
    const user = await createUser(first, { username: 'cut', credits: 10 })
    await syncSkill(first, { id: 'sg_gate', at: `http://${gate.host}/`, price: 2 })
    const calling = postJson(
      first.mcp,
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'sg_gate', arguments: {} } },
      { ...bearer(user.key), 'mcp-protocol-version': version },
    )
    await gate.asked
    const stopped = first.stop()
    const answer = await calling
    // The upstream answers while the twin still ends its work.
    gate.open()
    await stopped
    gate.stop()
    const second = await start(version)
    const balance = await balanceOf(second, user.uid)
    expect(answer.status).toBe(503)
    expect(answer.text).toContain('The credits of the call are refunded')
    expect(balance).toEqual({ credits: 10, onHold: 0 })
  },
)

test('a call that ran when the process was killed is refunded after the next start', async () => {
  const first = await start('killed')
  const user = await createUser(first, { username: 'unlucky', credits: 10 })
  const agent = await connectAgent(first.sse, user.key)
  const lost = agent.call('sg_slow').catch(() => 'lost')
  await untilTrue(async () => (await balanceOf(first, user.uid)).onHold === 1)
  await first.stop('SIGKILL')
  const second = await start('killed', first.port)
  const found = await balanceOf(second, user.uid)
  await second.stop()
  // Holds are swept once they are 60 s old.
  const third = await start('killed', first.port, { clock: 'late' })
  const balance = await until(() => balanceOf(third, user.uid).then(settled))
  await agent.close()
  expect(found).toEqual({ credits: 9, onHold: 1 })
  expect(balance).toEqual({ credits: 10, onHold: 0 })
  expect(await lost).toBe('lost')
})
